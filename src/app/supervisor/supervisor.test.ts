import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { until } from '../../../test/support/until.ts'
import type { PartType } from '../workers/part-messages.ts'
import { Supervisor } from './supervisor.ts'
import type { SupervisedConfig } from './supervisor-options.ts'

const script = resolve(import.meta.dirname, '..', '..', '..', 'test', 'support', 'scripted-part.ts')
const config: SupervisedConfig = {
  listen: { host: '127.0.0.1', port: 0 },
  admin: { type: 'off' },
  workers: 1,
  database: undefined,
}

/** A supervisor of real processes that do what a test says. */
function openSupervisor() {
  const folder = makeTemporaryFolder()
  const lines: string[] = []
  const reasons: string[] = []
  const supervisor = new Supervisor(config, {
    command: { script, args: [folder] },
    activated: [],
    print: (line) => lines.push(line),
    onHopeless: (reason) => reasons.push(reason),
  })
  onTestFinished(() => supervisor.close(0))
  const from = (part: PartType, behaviour: 'serves' | 'dies' | 'refuses' | 'leaves') =>
    writeFileSync(join(folder, part), behaviour)
  from('owner', 'serves')
  from('worker', 'serves')
  const pidOf = (part: PartType) => Number(readFileSync(join(folder, `${part}.pid`), 'utf8'))
  const pids = (part: PartType) =>
    listOwn().filter(({ words }) => words.includes(folder) && words.includes(part))
  return { supervisor, lines, reasons, from, pidOf, pids }
}

/** The processes that this one has started, and not yet those that have ended. */
function listOwn() {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const [, parent] = /^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')
      return Number(parent) === process.pid ? [{ pid: Number(name), words }] : []
    } catch {
      // The name is no process, or it has ended meanwhile.
      return []
    }
  })
}

const replaced = 'another one takes its part'

it('an owner process that fails to start during a restart is started again', async () => {
  const { supervisor, lines, from } = openSupervisor()
  await supervisor.start()
  from('owner', 'refuses')
  await expect(supervisor.restart(config)).rejects.toThrow('the disk is full')
  await until('another owner is tried', () => lines.some((line) => line.includes(replaced)))
  expect(lines[0]).toContain('the process that owns the files')
  expect(lines[0]).toContain('the disk is full')
})

it('an owner process that hands its files over to one that has died in the meantime is replaced', async () => {
  const { supervisor, lines, from, pidOf } = openSupervisor()
  await supervisor.start()
  from('owner', 'leaves')
  await expect(supervisor.restart(config)).rejects.toThrow('the disk is full')
  from('owner', 'serves')
  process.kill(pidOf('owner'), 'SIGUSR2')
  await until('another owner is there', () => lines.some((line) => line.includes(replaced)))
})

it('a restart succeeds after a failed restart', async () => {
  const { supervisor, from } = openSupervisor()
  await supervisor.start()
  from('owner', 'refuses')
  await expect(supervisor.restart(config)).rejects.toThrow('the disk is full')
  from('owner', 'serves')
  await supervisor.restart(config)
})

it('a process that dies as soon as it serves is replaced after growing pauses', async () => {
  const { supervisor, lines, from } = openSupervisor()
  from('worker', 'dies')
  const startedAtMs = performance.now()
  await supervisor.start()
  await until('it is replaced five times', () => lines.length === 6)
  // The pauses are 0, 100, 200, 400 and 800 ms.
  expect(performance.now() - startedAtMs).toBeGreaterThan(1_500)
})

it('repeated failures to start end the program with a reason', async () => {
  const { supervisor, reasons, from } = openSupervisor()
  await supervisor.start()
  from('owner', 'refuses')
  await expect(supervisor.restart(config)).rejects.toThrow()
  await until('there is no hope', () => reasons.length > 0, { deadlineMs: 30_000 })
  expect(reasons).toEqual([
    'the process that owns the files ended 8 times in a row before it could serve, at last with the disk is full',
  ])
}, 40_000)

it('an owner process that dies while workers are still ending is replaced', async () => {
  const { supervisor, lines, pidOf } = openSupervisor()
  await supervisor.start()
  process.kill(pidOf('worker'), 'SIGSTOP')
  const closed = supervisor.close(60_000)
  process.kill(pidOf('owner'), 'SIGKILL')
  await until('another owner is there', () => lines.some((line) => line.includes(replaced)))
  process.kill(pidOf('worker'), 'SIGCONT')
  await closed
})

it('a worker that dies during a restart leaves as many workers as there should be', async () => {
  const { supervisor, pidOf, pids } = openSupervisor()
  await supervisor.start()
  const restarted = supervisor.restart(config)
  process.kill(pidOf('worker'), 'SIGKILL')
  await restarted
  await until('the replaced workers have ended', () => pids('worker').length === 1, { deadlineMs: 5_000 })
})

it('a server that is to end while it starts leaves no process', async () => {
  const { supervisor, pids } = openSupervisor()
  const started = supervisor.start().catch(() => undefined)
  await until('its owner starts', () => pids('owner').length === 1)
  await supervisor.close(0)
  await started
  expect([...pids('owner'), ...pids('worker')]).toEqual([])
})

it('a server that is to end while it restarts leaves no process', async () => {
  const { supervisor, pids } = openSupervisor()
  await supervisor.start()
  const restarted = supervisor.restart(config).catch(() => undefined)
  await until('another owner starts', () => pids('owner').length === 2)
  await supervisor.close(0)
  await restarted
  expect([...pids('owner'), ...pids('worker')]).toEqual([])
})
