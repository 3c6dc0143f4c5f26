// A provider of streams that last: each begins at once and gets a token every INTERVAL_MS, spread evenly over that
// time; none where it is 0.
import { createServer, type ServerResponse } from 'node:http'

const intervalMs = Number(process.env['INTERVAL_MS'] ?? 0)
const TICK_MS = 10

const frame = (content: string) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
const token = Buffer.from(frame(' water'))

/** The streams by the tick of the interval in which each gets its token. */
const wheel = Array.from(
  { length: Math.max(1, Math.round(intervalMs / TICK_MS)) },
  () => new Set<ServerResponse>(),
)
let begun = 0

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(token)
    if (intervalMs === 0) return
    const turn = wheel[begun % wheel.length]
    begun += 1
    turn?.add(response)
    response.on('close', () => turn?.delete(response))
  })
})

if (intervalMs > 0) {
  const startedAtMs = performance.now()
  let ticks = 0
  setInterval(() => {
    const due = Math.floor((performance.now() - startedAtMs) / TICK_MS)
    for (; ticks < due; ticks += 1)
      for (const response of wheel[ticks % wheel.length] ?? []) response.write(token)
  }, TICK_MS / 2)
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})
