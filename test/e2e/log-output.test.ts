import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testKey } from '../support/start-gateway.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const yaml = `keys: [{ name: test, secret: ${testKey} }]
channels: [{ name: demo, provider: demo }]
`

async function askModels({ url }: StartedProcess, count: number): Promise<readonly number[]> {
  const statuses: number[] = []
  const askSome = async () => {
    while (statuses.length < count) {
      const position = statuses.push(0) - 1
      const answer = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${testKey}` } })
      await answer.arrayBuffer()
      statuses[position] = answer.status
    }
  }
  await Promise.all(Array.from({ length: 8 }, askSome))
  return statuses
}

/** Asks it to end; the exit code. */
async function endOf({ child }: StartedProcess): Promise<number | null> {
  child.kill('SIGTERM')
  await until('it ends', () => child.exitCode !== null || child.signalCode !== null, { deadlineMs: 5_000 })
  return child.exitCode
}

function openOutput(path: string, flags: number): number {
  const fd = openSync(path, flags)
  onTestFinished(() => closeSync(fd))
  return fd
}

/** A pipe that takes no more than it holds, since its reader sleeps. In the mode that waits, as a shell gives it. */
function openSleepersPipe(): number {
  const path = join(makeTemporaryFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  openOutput(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return openOutput(path, constants.O_WRONLY)
}

const ok = (count: number) => Array.from({ length: count }, () => 200)

describe.skipIf(process.platform !== 'linux')('a gateway', () => {
  it('continues while a full disk blocks its log, reports that once and ends on a signal', async () => {
    await using gateway = await startProcess(
      yaml,
      {},
      { output: openOutput('/dev/full', constants.O_WRONLY) },
    )
    expect(await askModels(gateway, 500)).toEqual(ok(500))
    await until('it says so', () => gateway.errors().includes('ENOSPC'))
    expect(await askModels(gateway, 500)).toEqual(ok(500))
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
    expect(await endOf(gateway)).toBe(0)
    expect(gateway.errors().match(/standard output|ENOSPC/g)).toEqual(['standard output', 'ENOSPC'])
  })

  it('creates its first key while a full disk blocks its log', async () => {
    const output = openOutput('/dev/full', constants.O_WRONLY)
    await using gateway = await startProcess('channels: [{ name: demo, provider: demo }]', {}, { output })
    await until('it says so', () => gateway.errors().includes('serving'))
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  })

  it('ends on a signal, even if the reader of its log sleeps', async () => {
    await using gateway = await startProcess(yaml, {}, { output: openSleepersPipe() })
    expect(await askModels(gateway, 500)).toEqual(ok(500))
    expect(await endOf(gateway)).toBe(0)
  })

  it('ends on a signal, even if its log is a socket whose reader sleeps', async () => {
    await using gateway = await startProcess(yaml)
    gateway.child.stdout?.pause()
    expect(await askModels(gateway, 1_500)).toEqual(ok(1_500))
    expect(await endOf(gateway)).toBe(0)
    expect(gateway.output().split('\n').length).toBeLessThan(1_500)
  })

  it('ends at once with 1 on a second signal, even if the reader of its log sleeps', async () => {
    await using gateway = await startProcess(yaml, {}, { output: openSleepersPipe() })
    expect(await askModels(gateway, 500)).toEqual(ok(500))
    gateway.child.kill('SIGTERM')
    await until('it ends its answers', () => gateway.errors().includes('SIGTERM'))
    // A signal that follows at once is the same request to end.
    await until('a later signal ends it', () => {
      gateway.child.kill('SIGTERM')
      return gateway.child.exitCode !== null
    })
    expect(gateway.child.exitCode).toBe(1)
  })

  it('continues to serve when the reader of its log is gone', async () => {
    await using gateway = await startProcess(yaml)
    gateway.child.stdout?.destroy()
    expect(await askModels(gateway, 300)).toEqual(ok(300))
    await until('it says so', () => gateway.errors().includes('EPIPE'))
    expect(await askModels(gateway, 300)).toEqual(ok(300))
    expect(await endOf(gateway)).toBe(0)
  })

  it('writes a line for each request, in one piece', async () => {
    await using gateway = await startProcess(yaml)
    expect(await askModels(gateway, 1_000)).toEqual(ok(1_000))
    expect(await endOf(gateway)).toBe(0)
    const lines = gateway.output().trimEnd().split('\n')
    const ids = lines.map((line): unknown => JSON.parse(line).request_id)
    expect(new Set(ids).size).toBe(1_000)
  })
})
