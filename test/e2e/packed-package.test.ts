import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'

const root = resolve(import.meta.dirname, '../..')
const SECRET = 'sk-test-0123456789abcdef'
const folder = mkdtempSync(join(tmpdir(), 'headgate-packed-'))

// The package as npm makes it, unpacked outside of the repository, where no other package can be found.
beforeAll(() => {
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: root, stdio: 'ignore' })
  const [archive = ''] = readdirSync(folder)
  execFileSync('tar', ['-xzf', archive], { cwd: folder })
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const launchers = [
  ['a clone', join(root, 'bin/headgate.js')],
  ['the packed package', join(folder, 'package/bin/headgate.js')],
] as const

/** Has Node name each file of the fault tools that it loads, as a module of the clone or a script of the bundle. */
const reportTools = `--import=data:text/javascript,${encodeURIComponent(
  `import fs from 'node:fs'
   import { registerHooks, syncBuiltinESMExports } from 'node:module'
   const { readFileSync } = fs
   fs.readFileSync = (path, ...rest) => {
     if (/\\/run-chaos[^/]*cjs$/.test(path)) process.stderr.write('file:' + path + '\\n')
     return readFileSync(path, ...rest)
   }
   syncBuiltinESMExports()
   registerHooks({ load(url, context, next) { if (/\\/tools\\/chaos\\/|\\/run-chaos/.test(url)) process.stderr.write(url + '\\n'); return next(url, context) } })`,
)}`

describe.each(launchers)('the fault tools of %s', (_name, launcher) => {
  const run = (...words: readonly string[]) =>
    spawnSync(process.execPath, [reportTools, launcher, ...words], { encoding: 'utf8' })
  const filesOf = ({ stderr }: { readonly stderr: string }) =>
    stderr.split('\n').filter((line) => line.startsWith('file:'))

  it('are loaded only by their own commands, and not by their help', () => {
    expect(filesOf(run('serve', '--help'))).toEqual([])
    const help = run('chaos', '--help')
    expect(help.status).toBe(0)
    for (const command of ['upstream', 'proxy', 'list', 'show'])
      expect(help.stdout).toContain(`\n  ${command} `)
    expect(filesOf(help)).toEqual([])
    expect(filesOf(run('chaos', 'list'))).not.toEqual([])
  })
})

describe('the packed package', () => {
  const [, [, launcher]] = launchers

  it('serves a ready-made script of its fault tools', async () => {
    await using upstream = await start(launcher, 'chaos', 'upstream', '--fault', 'F15-504')
    const answer = await fetch(`${upstream.origin}/v1/chat/completions`, {
      method: 'POST',
      body: '{"model":"m"}',
    })
    expect(answer.status).toBe(504)
    expect(await answer.json()).toMatchObject({ error: { type: 'server_error', code: 'timeout' } })
  })

  it.each([
    ['one process', []],
    ['two workers', ['--workers', '2']],
  ])('serves, logs and bills a request with %s and no other package', async (name, options) => {
    await using upstream = await start(launcher, 'chaos', 'upstream')
    const data = join(folder, name)
    const file = `${data}.yaml`
    writeFileSync(
      file,
      `data: ${data}
keys: [{ name: test, secret: ${SECRET}, models: ["*"] }]
channels:
  - { name: chat, provider: openai-compatible, base_url: "${upstream.origin}/v1", api_key: key-0123456789abcdef, allow_private: true, models: [m] }
`,
    )
    await using gateway = await start(launcher, '--config', file, 'serve', ...options)
    const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(await response.json()).toMatchObject({ object: 'chat.completion' })
    const ask = (...words: readonly string[]) =>
      execFileSync(process.execPath, [launcher, '--config', file, ...words], { encoding: 'utf8' })
    await until('the request is logged', () => /\bm\b.*chat/.test(ask('logs')))
    await until('the request is accounted', () => /\bm\b/.test(ask('usage', '--by', 'model')))
  })

  it('starts from the code that an earlier start compiled, and compiles again where it is damaged', () => {
    const cache = join(folder, 'cache')
    const version = () =>
      execFileSync(process.execPath, [launcher, '--version'], {
        encoding: 'utf8',
        env: { ...process.env, NODE_COMPILE_CACHE: cache },
      })
    const expected = version()
    const cached = globSync('code-*/main.cjs', { cwd: cache })
    expect(cached).not.toEqual([])
    const files = cached.map((name) => join(cache, name))
    const codes = files.map((file) => readFileSync(file))
    expect(version()).toBe(expected)
    // Only a process that has compiled saves its code.
    expect(files.map((file) => readFileSync(file))).toEqual(codes)

    for (const [index, file] of files.entries()) writeFileSync(file, codes[index]?.subarray(0, 1_000) ?? '')
    expect(version()).toBe(expected)
    expect(files.some((file) => readFileSync(file).length > 1_000_000)).toBe(true)
  })

  it('saves no code where the cache of Node is disabled', () => {
    const cache = join(folder, 'disabled')
    const env = { ...process.env, NODE_COMPILE_CACHE: cache, NODE_DISABLE_COMPILE_CACHE: '1' }
    execFileSync(process.execPath, [launcher, '--version'], { env })
    expect(globSync('code-*', { cwd: cache })).toEqual([])
  })

  it('leaves no half of its code on a full disk', () => {
    const cache = join(folder, 'limited')
    const env = { ...process.env, NODE_COMPILE_CACHE: cache }
    // A limit on the size of files stands for the full disk: 512 blocks are less than the largest file.
    execFileSync('sh', ['-c', 'ulimit -f 512; exec "$@"', 'sh', process.execPath, launcher, '--version'], {
      env,
    })
    expect(globSync('code-*/*', { cwd: cache }).filter((name) => !name.endsWith('.cjs'))).toEqual([])
  })

  it('never loads HTTP/2 of Node, in which no provider is called', () => {
    const dist = join(folder, 'package/dist')
    const files = readdirSync(dist).filter((name) => name.endsWith('.cjs'))
    expect(files).toContain('main.cjs')
    for (const name of files)
      expect(readFileSync(join(dist, name), 'utf8')).not.toMatch(/require\("(node:)?http2"\)/)
  })

  it('has the licence of every package that it contains', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const terms = readFileSync(join(folder, 'package/dist/licenses.txt'), 'utf8')
    for (const name of Object.keys(dependencies)) expect(terms).toContain(`${name} ${dependencies[name]} (`)
  })
})

/** Starts a command that serves on a free port, and finds where. */
async function start(launcher: string, ...words: readonly string[]) {
  const child = spawn(process.execPath, [launcher, '--listen', '127.0.0.1:0', ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise((settle) => child.once('exit', settle))
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const origin = () => / on (http:\/\/[^\s,]+)/.exec(errors)?.[1]
  await until('it serves', () => origin() !== undefined)
  return {
    origin: origin(),
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}
