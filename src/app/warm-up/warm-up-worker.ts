// The thread of the warm-up: the upstream of the gateway, and the callers of the gateway. Both run apart from the
// thread that serves and share no compiled code with it, so they do not influence how that code is optimized.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { formatIds } from '../../canonical/format.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import { nextTurn } from '../../kit/time/clock.ts'
import { warmUpAnswers } from './warm-up-answers.ts'
import type { FromWarmUpThread, ToWarmUpThread, WarmUpBatch, WarmUpThreadTerms } from './warm-up-protocol.ts'
import { writeWarmUpRequest } from './warm-up-requests.ts'

/** The number of concurrent requests. */
const CONCURRENCY = 4

/** Any program on this machine can connect, so bytes beyond this limit are not buffered. */
const MAX_BODY_BYTES = 64 * 1_024

const port = findPort()
let answers = 0
let gateway: Extract<ToWarmUpThread, { readonly type: 'gateway' }> | undefined

const { identity }: WarmUpThreadTerms = workerData
const server = identity === undefined ? createServer(receive) : createSecureServer(identity, receive)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new InvariantError('the warm-up has no address')
  const scheme = identity === undefined ? 'http' : 'https'
  send({ type: 'listening', origin: `${scheme}://127.0.0.1:${address.port}` })
})

port.on('message', (message: ToWarmUpThread) => {
  if (message.type === 'gateway') gateway = message
  else void sendBatch(message.batch)
})

function findPort(): MessagePort {
  if (parentPort === null) throw new InvariantError('the warm-up runs outside of a thread')
  return parentPort
}

function send(message: FromWarmUpThread): void {
  port.postMessage(message)
}

function receive(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const body: Buffer[] = []
  let bytes = 0
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= MAX_BODY_BYTES) body.push(chunk)
  })
  incoming.on('end', () => answer(incoming, Buffer.concat(body), outgoing))
}

/** The path of each channel begins with the name of its format. */
function answer({ url = '' }: IncomingMessage, body: Buffer, outgoing: ServerResponse): void {
  const format = formatIds.find((id) => url.startsWith(`/${id}/`)) ?? 'chat'
  const { whole, stream } = warmUpAnswers[format]
  if (body.includes('"stream":true') || url.includes('alt=sse')) sendStream(outgoing, stream)
  else sendWhole(outgoing, whole)
}

/** Sends every other answer with its length and the rest in chunks, like providers do. */
function sendWhole(outgoing: ServerResponse, whole: string): void {
  answers += 1
  const length = answers % 2 === 0 ? { 'content-length': Buffer.byteLength(whole) } : {}
  outgoing.writeHead(200, { 'content-type': 'application/json', ...length }).end(whole)
}

/** Sends each part in a separate turn of the event loop, similar to the tokens of a model. */
function sendStream(outgoing: ServerResponse, pieces: readonly string[]): void {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  let next = 0
  const sendNext = () => {
    const piece = pieces[next]
    if (piece === undefined) {
      outgoing.end()
      return
    }
    next += 1
    outgoing.write(piece, () => void nextTurn().then(sendNext))
  }
  sendNext()
}

async function sendBatch({ lane, requests, endsConnections }: WarmUpBatch): Promise<void> {
  if (gateway === undefined) throw new InvariantError('the warm-up has no gateway')
  const { url, secret } = gateway
  const { path, body } = writeWarmUpRequest(lane)
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` }
  let left = requests
  let failures = 0
  const work = async () => {
    while (left > 0) {
      left -= 1
      const response = await fetch(`${url}${path}`, { method: 'POST', headers, body })
      if (response.status !== 200) failures += 1
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  if (endsConnections) server.closeIdleConnections()
  send({ type: 'sent', failures })
}
