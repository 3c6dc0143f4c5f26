import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startProcess } from '../support/start-process.ts'

it.skipIf(process.platform !== 'linux')(
  'the launcher gives the server its options without a second process',
  async () => {
    await using gateway = await startProcess('channels: [{ name: demo, provider: demo }]')
    const words = readFileSync(`/proc/${gateway.child.pid}/cmdline`, 'utf8').split('\0')
    expect(words.slice(1, 8)).toEqual([
      '--max-semi-space-size=8',
      '--no-parallel-scavenge',
      '--use-largepages=silent',
      '--no-memory-reducer-favors-memory',
      '--max-inlined-bytecode-size=4000',
      '--max-inlined-bytecode-size-cumulative=10000',
      '--max-inlined-bytecode-size-absolute=20000',
    ])
    expect(words.filter((word) => word.includes('semi'))).toHaveLength(1)
    const { pid } = JSON.parse(readFileSync(`${gateway.folder}/data/server.json`, 'utf8'))
    expect(pid).toBe(gateway.child.pid)
  },
)

it('a command that there is not is told as one, and starts no server', () => {
  const { status, stderr } = spawnSync(process.execPath, ['bin/headgate.js', 'chek'], { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain('there is no command "chek"')
})

describe('the launcher', () => {
  it.each([
    'check',
    '--data serve check',
    '--config=headgate.yaml config',
    'audit --help',
    '--version',
    'serve --help',
  ])('carries out a command that is soon over at once: %s', (line) => {
    expect(beginnings(line)).toEqual([''])
  })

  // Where the process cannot become another one, as on Windows, it starts a second.
  it.each(['chek', '--data check chek', '--listen :0 --config config chek', 'chaos lst'])(
    'begins anew with its options, and keeps those it was given: %s',
    (line) => {
      const options: readonly string[] = JSON.parse(readFileSync('bin/node-options.json', 'utf8'))
      expect(beginnings(line)).toEqual(['', options.join(' ')])
    },
  )
})

/** With which options each process of a command begins, apart from the one by which this is told. */
function beginnings(line: string): readonly string[] {
  const tell = 'process.stderr.write("began with " + JSON.stringify(process.execArgv) + "\\n")'
  const words = [`--import=data:text/javascript,${tell};process.execve=undefined`, 'bin/headgate.js']
  const { stderr } = spawnSync(process.execPath, [...words, ...line.split(' ')], { encoding: 'utf8' })
  return [...stderr.matchAll(/^began with (.*)$/gm)].map((match) => {
    const options: readonly string[] = JSON.parse(match[1] ?? '')
    return options.filter((option) => !option.startsWith('--import')).join(' ')
  })
}
