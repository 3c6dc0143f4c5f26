import { execFileSync } from 'node:child_process'
import { closeSync, constants, createReadStream, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { until } from '../../../test/support/until.ts'
import { systemClock } from '../time/clock.ts'
import { LineWriter } from './line-writer.ts'

interface Told {
  readonly stopped: string[]
  dropped: number
  readonly missing: number[]
}

function openWriter(fd: number, maxWaitingBytes = 1024 ** 2, isShared = false) {
  const told: Told = { stopped: [], dropped: 0, missing: [] }
  const writer = new LineWriter({
    target: { fd, close: () => closeSync(fd) },
    clock: systemClock,
    maxWaitingBytes,
    isShared,
    reports: {
      stopped: (reason) => told.stopped.push(reason),
      dropped: (lineCount) => {
        told.dropped += lineCount
      },
      wentOn: (missingLineCount) => told.missing.push(missingLineCount),
    },
  })
  return { writer, told }
}

/** Both ends of a pipe; neither ever waits. */
function openPipe() {
  const path = join(makeTemporaryFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const openTarget = () => openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  const target = openTarget()
  onTestFinished(() => closeSync(reader))
  const bytes = Buffer.alloc(1024 ** 2)
  const decoder = new StringDecoder()
  let text = ''
  /** All that came so far. */
  function read(): string {
    try {
      text += decoder.write(bytes.subarray(0, readSync(reader, bytes)))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
    }
    return text
  }
  return { target, openTarget, read }
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index} of them all, ä\n`)

describe.skipIf(process.platform !== 'linux')('the line writer', () => {
  it('writes all lines in order', async () => {
    const path = join(makeTemporaryFolder(), 'log')
    const { writer, told } = openWriter(openSync(path, 'w'))
    const lines = numbered(5_000)
    for (const line of lines) writer.write(line)
    await writer.close(5_000)
    expect(readFileSync(path, 'utf8')).toBe(lines.join(''))
    expect(told).toEqual({ stopped: [], dropped: 0, missing: [] })
  })

  it('continues after the bytes of a chunk that a full pipe accepted', async () => {
    const { target, read } = openPipe()
    const { writer } = openWriter(target)
    const lines = numbered(20_000)
    writer.write(lines.join(''), lines.length)
    writer.write('the last one\n')
    await until('all is read', () => read().endsWith('the last one\n'))
    expect(read()).toBe(`${lines.join('')}the last one\n`)
    await writer.close(0)
  })

  it('writes whole lines next to another process that writes to the same pipe', async () => {
    const { target, openTarget, read } = openPipe()
    const writers = [target, openTarget()].map((fd) => openWriter(fd, 8 * 1024 ** 2, true).writer)
    const names = ['a', 'b'].map((name) => name.repeat(599))
    const batch = (name: string) => Array.from({ length: 64 }, () => `${name}\n`)
    for (let count = 0; count < 40; count += 1)
      for (const [index, writer] of writers.entries()) {
        const lines = batch(names[index] ?? '')
        writer.write(lines.join(''), lines.length)
      }
    await until('all is read', () => read().length === 2 * 40 * 64 * 600)
    expect(new Set(read().trimEnd().split('\n'))).toEqual(new Set(names))
    for (const writer of writers) await writer.close(0)
  })

  it('buffers no more than its limit for a stalled reader, and reports dropped lines once', async () => {
    const { target } = openPipe()
    const { writer, told } = openWriter(target, 100_000)
    for (let written = 0; written < 5_000; written += 1) {
      writer.write(`${'x'.repeat(99)}\n`)
      expect(writer.waitingBytes).toBeLessThanOrEqual(100_000)
    }
    expect(told.dropped).toBe(4_000)
    expect(told.stopped).toEqual(['its reader takes less than comes'])
    await writer.close(0)
  })

  it('continues when its reader does, and reports how many lines are missing', async () => {
    const { target, read } = openPipe()
    const { writer, told } = openWriter(target, 100_000)
    const line = `${'x'.repeat(99)}\n`
    for (let written = 0; written < 1_500; written += 1) writer.write(line)
    await until('it went on', () => read() !== '' && told.missing.length > 0)
    writer.write('after the gap\n')
    await until('the line is there', () => read().endsWith('after the gap\n'))
    expect(read()).toBe(`${line.repeat(1_000)}after the gap\n`)
    expect(told.missing).toEqual([500])
    await writer.close(0)
  })

  it('closes within its time limit while its reader is stalled, and counts the lost lines', async () => {
    const { target } = openPipe()
    const { writer, told } = openWriter(target)
    writer.write('x'.repeat(500_000), 5_000)
    const begunAtMs = performance.now()
    await writer.close(200)
    expect(performance.now() - begunAtMs).toBeLessThan(2_000)
    expect(told.dropped).toBe(5_000)
  })

  it('reports a full disk once, and does not wait for it when closing', async () => {
    const { writer, told } = openWriter(openSync('/dev/full', 'w'))
    writer.write('one\n')
    await until('it is told', () => told.stopped.length > 0)
    writer.write('two\n')
    await writer.close(60_000)
    expect(told).toEqual({ stopped: [expect.stringContaining('ENOSPC')], dropped: 2, missing: [] })
  })

  it('survives a reader that dies, and continues with the next one', async () => {
    const path = join(makeTemporaryFolder(), 'pipe')
    execFileSync('mkfifo', [path])
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const { writer, told } = openWriter(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
    closeSync(reader)
    writer.write('one\n')
    await until('it is told', () => told.stopped.length > 0)
    expect(told.stopped).toEqual([expect.stringContaining('EPIPE')])
    const next = createReadStream(path, 'utf8')
    let text = ''
    next.on('data', (chunk) => {
      text += chunk
    })
    await until('the next one reads it', () => text === 'one\n')
    await until('it went on', () => told.missing.length > 0)
    await writer.close(0)
  })
})
