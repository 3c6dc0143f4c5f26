import { createServer } from 'node:http'

export interface FloodStream {
  /** `performance.now()` of the first and the latest bytes that the connection took. */
  readonly startedAtMs: number
  lastWriteAtMs: number
  bytesTaken: number
  closedAtMs: number | undefined
}

export interface FloodUpstream {
  readonly origin: string
  readonly streams: FloodStream[]
  close(): Promise<void>
}

/** A chat provider that streams as fast as it is read, up to `totalBytes` an answer, and notes when it could write. */
export async function openFloodUpstream(totalBytes: number): Promise<FloodUpstream> {
  const streams: FloodStream[] = []
  const text = 'x'.repeat(8_000)
  const frame = Buffer.from(
    `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"${text}"},"finish_reason":null}]}\n\n`,
  )
  const whole = JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  })
  const server = createServer((request, response) => {
    let asksForStream = false
    request.on('data', (chunk: Buffer) => {
      asksForStream ||= chunk.includes('"stream":true')
    })
    request.on('end', () => {
      if (!asksForStream) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(whole)
        return
      }
      const now = performance.now()
      const stream: FloodStream = {
        startedAtMs: now,
        lastWriteAtMs: now,
        bytesTaken: 0,
        closedAtMs: undefined,
      }
      streams.push(stream)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.on('close', () => {
        stream.closedAtMs = performance.now()
      })
      const pump = () => {
        while (stream.bytesTaken < totalBytes) {
          stream.bytesTaken += frame.length
          stream.lastWriteAtMs = performance.now()
          if (!response.write(frame)) {
            response.once('drain', pump)
            return
          }
        }
        response.end(
          'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
        )
      }
      pump()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    origin: `http://127.0.0.1:${port}`,
    streams,
    async close() {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}
