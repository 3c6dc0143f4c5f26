import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'headgate-packed-'))

// The package as npm makes it, unpacked outside of the repository. The packages that it needs are those of
// the clone, so that no registry is asked.
beforeAll(() => {
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: root, stdio: 'ignore' })
  const [archive = ''] = readdirSync(folder)
  execFileSync('tar', ['-xzf', archive], { cwd: folder })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const launchers = [
  ['a clone', join(root, 'bin/headgate.js')],
  ['the packed package', join(folder, 'package/bin/headgate.js')],
] as const

/** Has Node name each file of the fault tools that it loads. */
const reportTools = `--import=data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module'
   registerHooks({ load(url, context, next) { if (url.includes('/tools/')) process.stderr.write(url + '\\n'); return next(url, context) } })`,
)}`

describe.each(launchers)('the fault tools of %s', (_name, launcher) => {
  it('show their help', () => {
    const { status, stdout } = spawnSync(process.execPath, [launcher, 'chaos', '--help'], {
      encoding: 'utf8',
    })
    expect(status).toBe(0)
    for (const command of ['upstream', 'proxy', 'list', 'show']) expect(stdout).toContain(`\n  ${command} `)
  })

  it('serve a ready-made script', async () => {
    const words = [launcher, '--listen', '127.0.0.1:0', 'chaos', 'upstream', '--fault', 'F15-504']
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = new Promise((settle) => child.once('exit', settle))
    try {
      let errors = ''
      child.stderr.on('data', (chunk: Buffer) => {
        errors += chunk.toString()
      })
      const origin = () => / on (http:\S+),/.exec(errors)?.[1]
      await until('it serves', () => origin() !== undefined)
      const answer = await fetch(`${origin()}/v1/chat/completions`, { method: 'POST', body: '{"model":"m"}' })
      expect(answer.status).toBe(504)
      expect(await answer.json()).toMatchObject({ error: { type: 'server_error', code: 'timeout' } })
    } finally {
      child.kill()
      await ended
    }
  })

  it('are loaded by their own commands alone', () => {
    const loaded = (...words: readonly string[]) =>
      spawnSync(process.execPath, [reportTools, launcher, ...words], { encoding: 'utf8' })
        .stderr.split('\n')
        .filter((line) => line.includes('/tools/chaos/'))
    expect(loaded('serve', '--help')).toEqual([])
    expect(loaded('chaos', '--help')).toEqual([])
    expect(loaded('chaos', 'list').length).toBeGreaterThan(20)
  })
})
