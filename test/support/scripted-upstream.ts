import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CorpusCase } from './corpus.ts'

/** The behaviour of an upstream for one request; by default 200, no body. */
export interface ScriptedAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Written one by one. A promise among them is waited for, so that the test says when the answer goes on. */
  readonly chunks?: readonly (string | Buffer | Promise<unknown>)[]
  /**
   * The end after the last chunk: a proper end; a TCP reset; a FIN in the middle of the body; or nothing ever more.
   * With `silence` nothing is sent at all, not even a status.
   */
  readonly ending?: 'end' | 'reset' | 'half-close' | 'hang' | 'silence'
}

export interface RecordedRequest {
  readonly method: string
  /** The path with the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** `performance.now()` when the caller left before the answer was complete. */
  readonly abortedAtMs: number | undefined
  /** Fulfilled when the exchange is over, ended by either side. */
  readonly closed: Promise<void>
  /** The connection, for what answers cannot say: raw bytes, or whether reading was paused. */
  readonly socket: Socket
}

export type UpstreamHandler = (
  request: RecordedRequest,
  index: number,
) => ScriptedAnswer | Promise<ScriptedAnswer>

export interface ScriptedUpstream {
  /** The origin, such as `http://127.0.0.1:4321`, without a path. */
  readonly origin: string
  readonly requests: readonly RecordedRequest[]
  /** The request with this number, as soon as it arrived whole. */
  request(index: number): Promise<RecordedRequest>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A real HTTP server on a loopback port that does as the test says. A list of answers is gone through in order, and its
 * last answer is given to every later request.
 */
export async function openScriptedUpstream(
  script: UpstreamHandler | ScriptedAnswer | readonly ScriptedAnswer[],
): Promise<ScriptedUpstream> {
  const handler = typeof script === 'function' ? script : answerInOrder([script].flat())
  const requests: RecordedRequest[] = []
  const waiting: (() => void)[] = []
  const server = createServer((incoming, outgoing) => {
    void recordRequest(incoming, outgoing)
      .then(async (request) => {
        requests.push(request)
        for (const wake of waiting.splice(0)) wake()
        await sendAnswer(outgoing, await handler(request, requests.length - 1))
      })
      .catch((error: unknown) => outgoing.destroy(error instanceof Error ? error : undefined))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port }: AddressInfo = addressOf(server.address())
  const close = async () => {
    const closed = new Promise((done) => server.close(done))
    server.closeAllConnections()
    await closed
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    async request(index) {
      for (;;) {
        const request = requests[index]
        if (request !== undefined) return request
        await new Promise<void>((wake) => waiting.push(wake))
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A recording as an answer; `splitBytes` writes the body in pieces of that many bytes. */
export function answerOfCase(
  { response }: CorpusCase,
  options: { readonly splitBytes?: number } = {},
): ScriptedAnswer {
  const { status, body, sse } = response
  const text = sse ?? `${response.body_raw_prefix ?? ''}${body === undefined ? '' : JSON.stringify(body)}`
  const headers: Record<string, string> = {
    'content-type': sse === undefined ? 'application/json' : 'text/event-stream; charset=utf-8',
  }
  for (const [name, value] of Object.entries(response.headers)) {
    if (!framingHeaders.has(name.toLowerCase())) headers[name.toLowerCase()] = value
  }
  const bytes = Buffer.from(text, 'utf8')
  const chunks = options.splitBytes === undefined ? [bytes] : splitBytes(bytes, options.splitBytes)
  return { status, headers, chunks }
}

const framingHeaders = new Set(['content-length', 'content-encoding', 'transfer-encoding', 'connection'])

export function splitBytes(bytes: Buffer | string, size: number): Buffer[] {
  const whole = Buffer.from(bytes)
  const count = Math.ceil(whole.length / size)
  return Array.from({ length: count }, (_, index) => whole.subarray(index * size, (index + 1) * size))
}

export function jsonAnswer(value: unknown, status = 200): ScriptedAnswer {
  return { status, headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(value)] }
}

export function htmlAnswer(status = 502): ScriptedAnswer {
  const page = '<html><head><title>Bad Gateway</title></head><body>nginx</body></html>'
  return { status, headers: { 'content-type': 'text/html' }, chunks: [page] }
}

export function sseAnswer(
  chunks: ScriptedAnswer['chunks'] & object,
  ending: ScriptedAnswer['ending'] = 'end',
): ScriptedAnswer {
  return { headers: { 'content-type': 'text/event-stream' }, chunks, ending }
}

function answerInOrder(answers: readonly ScriptedAnswer[]): UpstreamHandler {
  return (_request, index) => answers[Math.min(index, answers.length - 1)] ?? {}
}

async function recordRequest(incoming: IncomingMessage, outgoing: ServerResponse): Promise<RecordedRequest> {
  let abortedAtMs: number | undefined
  const closed = new Promise<void>((done) => {
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) abortedAtMs = performance.now()
      done()
    })
  })
  incoming.socket.setNoDelay(true)
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part)
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body: Buffer.concat(parts),
    get abortedAtMs() {
      return abortedAtMs
    },
    closed,
    socket: incoming.socket,
  }
}

async function sendAnswer(outgoing: ServerResponse, answer: ScriptedAnswer): Promise<void> {
  const { status = 200, headers = {}, chunks = [], ending = 'end' } = answer
  if (ending === 'silence') return
  if (chunks.length === 0 && ending === 'reset') {
    outgoing.socket?.resetAndDestroy()
    return
  }
  outgoing.writeHead(status, headers)
  outgoing.flushHeaders()
  for (const chunk of chunks) {
    if (chunk instanceof Promise) await chunk
    else await writeChunk(outgoing, chunk)
    if (outgoing.destroyed) return
  }
  if (ending === 'end') outgoing.end()
  if (ending === 'reset') outgoing.socket?.resetAndDestroy()
  if (ending === 'half-close') outgoing.socket?.end()
}

/** Fulfilled once the bytes are with the system, or the connection is gone. */
async function writeChunk(outgoing: ServerResponse, chunk: string | Buffer): Promise<void> {
  await new Promise<void>((written) => {
    outgoing.once('close', written)
    outgoing.write(chunk, () => {
      outgoing.off('close', written)
      written()
    })
  })
  await nextTurn()
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port')
  return address
}
