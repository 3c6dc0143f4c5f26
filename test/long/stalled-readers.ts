// 200 callers ask for a 50 MB stream each and never read: memory beside a bare relay's, and how soon the upstream is
// paused.
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { residentBytes } from '../../bench/processor-time.ts'
import { type FloodUpstream, openFloodUpstream } from './flood-upstream.ts'
import { openSubjects, rawStreamRequest, type Subject } from './open-subjects.ts'

const READERS = 200
const STREAM_BYTES = 50 * 1024 * 1024
const ROUNDS = 3
/** Readers come one after the other, so that each one's pause is its own and not the wait for its turn. */
const SPACING_MS = 20
/** The upstreams count as paused when none could write for so long. */
const QUIET_MS = 1_000
const MAX_SETTLE_MS = 20_000
const MAX_RATIO = 1.2
const MAX_PAUSE_MS = 1_000
/** The most bytes held for each stream that nobody reads. */
const MAX_READER_BYTES = 0.4 * 1024 ** 2

const upstream = await openFloodUpstream(STREAM_BYTES)
const subjects = await openSubjects(upstream.origin)
const added: Record<Subject['name'], number[]> = { relay: [], headgate: [] }
const slowestMs: Record<Subject['name'], number> = { relay: 0, headgate: 0 }
try {
  const first: number[] = []
  for (const subject of [subjects.relay, subjects.headgate]) {
    first.push((await stall(subject, upstream)).addedBytes)
  }
  const [relayBytes = Number.NaN, headgateBytes = Number.NaN] = first
  process.stdout.write(
    `stalled readers, first round: added RSS ${megabytes(headgateBytes)} MB (bare relay ${megabytes(relayBytes)} MB), ratio ${(headgateBytes / relayBytes).toFixed(2)}\n`,
  )
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const subject of [subjects.relay, subjects.headgate]) {
      const result = await stall(subject, upstream)
      added[subject.name].push(result.addedBytes)
      slowestMs[subject.name] = Math.max(slowestMs[subject.name], result.pauseMs)
    }
  }
} finally {
  await subjects.close()
  await upstream.close()
}
const ratio = mean(added.headgate) / mean(added.relay)
process.stdout.write(
  `stalled readers: ${READERS} × 50 MB, ${ROUNDS} rounds after warm-up, added RSS ${megabytes(mean(added.headgate))} MB (bare relay ${megabytes(mean(added.relay))} MB), ratio ${ratio.toFixed(2)} (limit ${MAX_RATIO}); upstream paused after ${slowestMs.headgate.toFixed(0)} ms at most (limit ${MAX_PAUSE_MS}; bare relay ${slowestMs.relay.toFixed(0)})\n`,
)
const readerBytes = mean(added.headgate) / READERS
process.stdout.write(
  `stalled readers: ${(readerBytes / 1024 ** 2).toFixed(2)} MB each (limit ${megabytes(MAX_READER_BYTES)})\n`,
)
if (readerBytes > MAX_READER_BYTES) process.exitCode = 1
if (ratio > MAX_RATIO || slowestMs.headgate > MAX_PAUSE_MS) process.exitCode = 1

async function stall(subject: Subject, { streams }: FloodUpstream) {
  await collectGarbage(subject)
  const before = residentBytes(subject.process.pid)
  streams.length = 0
  const sockets: Socket[] = []
  for (let index = 0; index < READERS; index += 1) {
    sockets.push(openStalled(subject.port))
    await wait(SPACING_MS)
  }
  await settle(streams)
  await collectGarbage(subject)
  const samples: number[] = []
  for (let sample = 0; sample < 10; sample += 1) {
    samples.push(residentBytes(subject.process.pid))
    await wait(50)
  }
  const pauses = streams.map(({ startedAtMs, lastWriteAtMs }) => lastWriteAtMs - startedAtMs)
  if (streams.length !== READERS)
    throw new Error(`${subject.name}: ${streams.length} of ${READERS} streams opened`)
  for (const socket of sockets) socket.destroy()
  await wait(1_000)
  return { addedBytes: mean(samples) - before, pauseMs: Math.max(...pauses) }
}

async function collectGarbage({ process: { pid } }: Subject): Promise<void> {
  for (let count = 0; count < 3; count += 1) {
    process.kill(pid, 'SIGUSR2')
    await wait(300)
  }
}

async function settle(streams: FloodUpstream['streams']): Promise<void> {
  for (let waitedMs = 0; waitedMs < MAX_SETTLE_MS; waitedMs += 50) {
    const last = Math.max(...streams.map(({ lastWriteAtMs }) => lastWriteAtMs))
    if (streams.length === READERS && performance.now() - last > QUIET_MS) return
    await wait(50)
  }
}

/** A connection that asks and then never reads. */
function openStalled(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => socket.destroy())
  socket.pause()
  socket.write(rawStreamRequest())
  return socket
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1)
}
