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
const SETTLE_MS = 2_500
const MAX_RATIO = 1.2
const MAX_PAUSE_MS = 1_000

const upstream = await openFloodUpstream(STREAM_BYTES)
const subjects = await openSubjects(upstream.origin)
try {
  for (const subject of [subjects.relay, subjects.headgate]) await stall(subject, upstream)
  const added: Record<Subject['name'], number[]> = { relay: [], headgate: [] }
  let slowestPauseMs = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const subject of [subjects.relay, subjects.headgate]) {
      const result = await stall(subject, upstream)
      added[subject.name].push(result.addedBytes)
      if (subject.name === 'headgate') slowestPauseMs = Math.max(slowestPauseMs, result.pauseMs)
    }
  }
  const ratio = mean(added.headgate) / mean(added.relay)
  process.stdout.write(
    `stalled readers: ${READERS} × 50 MB, added RSS ${megabytes(mean(added.headgate))} MB (bare relay ${megabytes(mean(added.relay))} MB), ratio ${ratio.toFixed(2)} (limit ${MAX_RATIO}); upstream paused after ${slowestPauseMs.toFixed(0)} ms at most (limit ${MAX_PAUSE_MS})\n`,
  )
  if (ratio > MAX_RATIO || slowestPauseMs > MAX_PAUSE_MS) process.exitCode = 1
} finally {
  await subjects.close()
  await upstream.close()
}

async function stall(subject: Subject, { streams }: FloodUpstream) {
  const before = residentBytes(subject.process.pid)
  streams.length = 0
  const sockets: Socket[] = []
  for (let index = 0; index < READERS; index += 1) sockets.push(openStalled(subject.port))
  await wait(SETTLE_MS)
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
