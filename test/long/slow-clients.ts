// Callers that send slowly, or stop: 500 heads that never end, 50 bodies that stall, 20 that read nothing, while others
// are served. Each slow one must be let go of within its limit and 2 s, and nobody else may wait for them.
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { openFloodUpstream } from './flood-upstream.ts'
import { longTestKey, openSubjects, rawStreamRequest } from './open-subjects.ts'

const SLACK_MS = 2_000
const HEAD_LIMIT_MS = 10_000
const BODY_LIMIT_MS = 10_000
const READ_LIMIT_MS = 60_000
const MAX_WAIT_MS = 2_000
const READERS = 20

interface Kind {
  readonly name: string
  readonly count: number
  readonly limitMs: number
  readonly open: (socket: Socket) => void
}

const kinds: readonly Kind[] = [
  {
    name: 'heads byte by byte',
    count: 400,
    limitMs: HEAD_LIMIT_MS,
    open: (socket) => drip(socket, 'GET /healthz HTTP/1.1\r\nhost: a\r\nx-a: '),
  },
  { name: 'connections that say nothing', count: 100, limitMs: HEAD_LIMIT_MS, open: () => undefined },
  {
    name: 'bodies byte by byte',
    count: 50,
    limitMs: BODY_LIMIT_MS,
    open: (socket) => drip(socket, bodyHead),
  },
]

const bodyHead = `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${longTestKey}\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{`

const upstream = await openFloodUpstream(64 * 1024 * 1024)
const subjects = await openSubjects(upstream.origin)
const { port } = subjects.headgate
const ends = kinds.map(({ name, count, limitMs, open }) => ({
  name,
  limitMs,
  all: Array.from({ length: count }, () => lifeOf(open)),
}))
let isOver = false
const waits = serveOthers(() => isOver)
const readers = lifeOfReaders()
const results: string[] = []
let failed = false
for (const { name, limitMs, all } of ends) {
  const lives = await Promise.all(all)
  const longest = Math.max(...lives)
  if (longest > limitMs + SLACK_MS) failed = true
  results.push(
    `${lives.length} ${name} gone after ${longest.toFixed(0)} ms at most (limit ${limitMs + SLACK_MS})`,
  )
}
const readersMs = await readers
if (readersMs > READ_LIMIT_MS + SLACK_MS) failed = true
results.push(
  `${READERS} readers that read nothing gone after ${readersMs.toFixed(0)} ms (limit ${READ_LIMIT_MS + SLACK_MS})`,
)
isOver = true
const { served, slowestMs, refused } = await waits
if (slowestMs > MAX_WAIT_MS || refused > 0) failed = true
await subjects.close()
await upstream.close()
process.stdout.write(
  `slow clients: ${results.join('; ')}; ${served} others served meanwhile, the slowest in ${slowestMs.toFixed(0)} ms (limit ${MAX_WAIT_MS}), ${refused} refused\n`,
)
if (failed) process.exitCode = 1

/** The time for which the gateway keeps a slow connection, in milliseconds. */
function lifeOf(open: (socket: Socket) => void): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    let startedAtMs = performance.now()
    socket.on('connect', () => {
      startedAtMs = performance.now()
      open(socket)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(performance.now() - startedAtMs))
    if (!socket.isPaused()) socket.resume()
  })
}

/** A caller that does not read does not see the end either; the gateway's own count tells. */
async function lifeOfReaders(): Promise<number> {
  const sockets = Array.from({ length: READERS }, () => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(rawStreamRequest())
    return socket
  })
  const startedAtMs = performance.now()
  await wait(5_000)
  if ((await countActive()) !== READERS) throw new Error('the readers do not read')
  while ((await countActive()) > 0 && performance.now() - startedAtMs < 2 * READ_LIMIT_MS) await wait(250)
  for (const socket of sockets) socket.destroy()
  return performance.now() - startedAtMs
}

async function countActive(): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^headgate_active_requests (\d+)/m.exec(metrics)?.[1])
}

function drip(socket: Socket, start: string): void {
  socket.write(start)
  const timer = setInterval(() => socket.write('a'), 500)
  socket.on('close', () => clearInterval(timer))
}

async function serveOthers(isDone: () => boolean) {
  let served = 0
  let refused = 0
  let slowestMs = 0
  while (!isDone()) {
    const startedAtMs = performance.now()
    const answer = await fetch(`http://127.0.0.1:${port}/v1/models`, {
      headers: { authorization: `Bearer ${longTestKey}` },
    })
    await answer.text()
    if (answer.status === 200) served += 1
    else refused += 1
    slowestMs = Math.max(slowestMs, performance.now() - startedAtMs)
    await wait(20)
  }
  return { served, refused, slowestMs }
}
