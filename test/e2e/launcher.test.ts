import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDataFolder } from '../../src/app/open-data-folder.ts'
import { systemRandom } from '../../src/kit/random/random.ts'
import { systemClock } from '../../src/kit/time/clock.ts'
import { launcher } from '../support/program/launcher.ts'
import { startProcess } from '../support/start-process.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

it.skipIf(process.platform !== 'linux')(
  'the launcher sets the Node options of the server without a second process',
  async () => {
    await using gateway = await startProcess('channels: [{ name: demo, provider: demo }]')
    const words = readFileSync(`/proc/${gateway.child.pid}/cmdline`, 'utf8').split('\0')
    const options = [
      '--disable-sigusr1',
      '--max-semi-space-size=32',
      '--expose-gc',
      '--initial-heap-size=64',
      '--no-parallel-scavenge',
      '--no-allocation-site-pretenuring',
      '--no-memory-reducer-favors-memory',
      '--heap-growing-percent=100',
      '--max-inlined-bytecode-size=1000',
      '--max-inlined-bytecode-size-cumulative=1500',
      '--max-inlined-bytecode-size-absolute=20000',
    ].filter(isKnownHere)
    expect(words.slice(1, options.length + 1)).toEqual(options)
    expect(words.filter((word) => word.includes('semi'))).toHaveLength(1)
    const { pid } = JSON.parse(readFileSync(`${gateway.folder}/data/server.json`, 'utf8'))
    expect(pid).toBe(gateway.child.pid)
  },
)

it.each([
  ['chek', 'there is no command "chek"; did you mean "headgate check"?'],
  ['channel list', 'there is no command "channel"; did you mean "headgate channels list"?'],
  ['frobnicate', 'there is no command "frobnicate"; "headgate --help" lists them'],
])('an unknown command starts no server and suggests the nearest one: %s', (line, message) => {
  const words = [launcher, ...line.split(' ')]
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toBe(`error: ${message}\n`)
})

it('a first start that cannot write its key says so in one line, and the next one writes a key that works', async () => {
  const data = makeTemporaryFolder()
  const file = join(data, 'first-key')
  const start = () =>
    startProcess('channels: [{ name: demo, provider: demo }]', {}, { environment: { HEADGATE_DATA: data } })
  mkdirSync(join(file, 'in the way'), { recursive: true })
  await expect(start()).rejects.toThrow(
    new RegExp(`^the process ended: headgate: ${file} cannot be written: [^\n]*\n$`),
  )
  rmSync(file, { recursive: true })
  await using gateway = await start()
  const authorization = `Bearer ${readFileSync(file, 'utf8').trim()}`
  expect((await fetch(`${gateway.url}/v1/models`, { headers: { authorization } })).status).toBe(200)
})

it('every start names a first key that was not deleted, since its own start may have crashed before that', async () => {
  const data = makeTemporaryFolder()
  writeFileSync(join(data, 'first-key'), 'sk-hg-left\n')
  const yaml = 'keys: [{ name: ci, secret: 0123456789abcdef }]\nchannels: [{ name: demo, provider: demo }]'
  await using gateway = await startProcess(yaml, {}, { environment: { HEADGATE_DATA: data } })
  await until('the file is named', () =>
    gateway.errors().includes(`headgate: ${data}/first-key still holds the first key; delete the file once`),
  )
})

it('the error for a used port of the admin API names the setting', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const address = other.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const yaml = `admin: { listen: "127.0.0.1:${port}" }\nchannels: [{ name: demo, provider: demo }]`
  await expect(startProcess(yaml)).rejects.toThrow(
    `the process ended: headgate: port ${port} is in use by another program; choose another with admin.listen in the configuration [address_unavailable]\n  cause: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
  )
})

it('a damaged database stops startup with its file, the cause and the remedy', async () => {
  const data = makeTemporaryFolder()
  const file = join(data, 'headgate.db')
  const demo = 'channels: [{ name: demo, provider: demo }]'
  const first = await openDataFolder(data, { clock: systemClock, random: systemRandom }).openKeys([])
  await first.close()
  const PAGE_BYTES = 4_096
  writeFileSync(file, readFileSync(file).fill(0x5a, PAGE_BYTES))
  await expect(startProcess(demo, {}, { environment: { HEADGATE_DATA: data } })).rejects.toThrow(
    `the process ended: headgate: ${file} cannot be opened: database disk image is malformed; restore it from a copy [database_damaged]\n`,
  )
})

describe('the launcher', () => {
  it('caches the code of a clone without its types, so that the next start needs no compiler', () => {
    // The tests' own folder of compiled code would be taken instead.
    const env = { ...process.env, NODE_COMPILE_CACHE: undefined }
    spawnSync(process.execPath, ['bin/headgate.js', '--version'], { env })
    expect(readdirSync('node_modules/.cache/headgate').length).toBeGreaterThan(0)
  })

  it.each([
    'check',
    '--data serve check',
    '--config=headgate.yaml config',
    'audit --help',
    '--version',
    'serve --help',
    'usage --since soon',
    'chek',
  ])('runs a short command in its own process: %s', (line) => {
    expect(beginnings(line)).toEqual([''])
  })

  // Where the process cannot become another one, as on Windows, it starts a second.
  it.each(['chaos lst', '--data check chaos lst', '--listen :0 --config config serve and more'])(
    'restarts itself with its options, and keeps the options of the command: %s',
    (line) => {
      const options: readonly string[] = JSON.parse(readFileSync('bin/node-options.json', 'utf8'))
      expect(beginnings(line)).toEqual(['', options.filter(isKnownHere).join(' ')])
    },
  )

  it.each(['--config no-such-file.yaml', '--workers 2 --config no-such-file.yaml'])(
    'restarts itself with its options to serve without a command: %s',
    (line) => {
      // The server begins threads, which report their options, too.
      expect(beginnings(line)[1]).toContain('--max-semi-space-size')
    },
  )
})

// Where there is no /proc, nothing shows the environment of a process.
it.skipIf(!existsSync('/proc/self/environ'))(
  'a server returns the memory of a burst to the system',
  async () => {
    await using gateway = await startProcess('channels: [{ name: demo, provider: demo }]')
    const environment = readFileSync(`/proc/${gateway.child.pid}/environ`, 'utf8').split('\0')
    expect(environment).toEqual(
      expect.arrayContaining(['MALLOC_ARENA_MAX=1', 'MALLOC_MMAP_THRESHOLD_=131072']),
    )
  },
)

/** Node after 24 does not start with this option. */
function isKnownHere(option: string): boolean {
  return option !== '--no-memory-reducer-favors-memory' || Number(process.versions.node.split('.')[0]) <= 24
}

/** With which options each process of a command begins, apart from the one that reports this. */
function beginnings(line: string): readonly string[] {
  const emit = 'process.stderr.write("began with " + JSON.stringify(process.execArgv) + "\\n")'
  const words = [`--import=data:text/javascript,${emit};process.execve=undefined`, launcher]
  const { stderr } = spawnSync(process.execPath, [...words, ...line.split(' ')], { encoding: 'utf8' })
  return [...stderr.matchAll(/^began with (.*)$/gm)].map((match) => {
    const options: readonly string[] = JSON.parse(match[1] ?? '')
    return options.filter((option) => !option.startsWith('--import')).join(' ')
  })
}
