// 1000 callers leave in the middle of a stream: how soon the upstream's connection is closed.
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type FloodUpstream, openFloodUpstream } from './flood-upstream.ts'
import { openSubjects, rawStreamRequest } from './open-subjects.ts'

const CALLERS = 1_000
const AT_ONCE = 20
const MAX_CLOSE_MS = 100

const upstream = await openFloodUpstream(Number.POSITIVE_INFINITY)
const subjects = await openSubjects(upstream.origin)
try {
  const delays: number[] = []
  for (let done = 0; done < CALLERS; done += AT_ONCE) delays.push(...(await leaveTogether(AT_ONCE, upstream)))
  const inTime = delays.filter((delay) => delay <= MAX_CLOSE_MS).length
  const sorted = delays.toSorted((a, b) => a - b)
  process.stdout.write(
    `callers leave: upstream closed within ${MAX_CLOSE_MS} ms ${inTime} of ${CALLERS}; median ${at(sorted, 0.5)} ms, slowest ${at(sorted, 1)} ms\n`,
  )
  if (inTime !== CALLERS) process.exitCode = 1
} finally {
  await subjects.close()
  await upstream.close()
}

async function leaveTogether(count: number, { streams }: FloodUpstream): Promise<number[]> {
  streams.length = 0
  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ port: subjects.headgate.port, host: '127.0.0.1' })
    const answered = new Promise<void>((resolve) => socket.once('data', () => resolve()))
    socket.on('error', () => socket.destroy())
    socket.write(rawStreamRequest())
    return { socket, answered }
  })
  await Promise.all(sockets.map(({ answered }) => answered))
  const leftAtMs = performance.now()
  for (const { socket } of sockets) socket.destroy()
  for (
    let waited = 0;
    waited < 2_000 && streams.some(({ closedAtMs }) => closedAtMs === undefined);
    waited += 5
  ) {
    await wait(5)
  }
  return streams.map(({ closedAtMs }) => (closedAtMs ?? Number.POSITIVE_INFINITY) - leftAtMs)
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN).toFixed(1)
}
