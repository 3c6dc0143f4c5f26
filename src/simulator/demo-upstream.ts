import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { JsonObject } from '../kit/json/json.ts'
import type { Clock } from '../kit/time/clock.ts'
import { unixSeconds } from '../kit/time/unix-seconds.ts'
import { planDemoAnswer } from './demo-answer.ts'
import { writeDemoChunks, writeDemoReply } from './demo-chat-body.ts'
import { answerEmbeddings } from './demo-embedding.ts'
import { DemoError } from './demo-error.ts'
import { answerMedia } from './demo-media.ts'
import { answerModeration, answerRerank } from './demo-ranking.ts'
import { serveDemoRealtime } from './demo-realtime.ts'
import { demoChatModel, demoEmbeddingModel, readDemoRequest } from './demo-request.ts'
import { readJsonBody, sendJson } from './demo-transfer.ts'

export interface DemoUpstream {
  /** The base address, which ends in `/v1`. */
  readonly baseUrl: string
  close(): Promise<void>
}

interface DemoState {
  readonly clock: Clock
  readonly startedAtMs: number
  answers: number
}

/** The delay between words, long enough for a reader to see them arrive. */
const WORD_DELAY_MS = 20

/**
 * Opens the demo upstream: a server on loopback that speaks the chat format and answers by rule. It lets a newcomer see
 * the gateway work without any provider. Rejects where the port is in use.
 */
export async function openDemoUpstream(options: {
  readonly clock: Clock
  /** The port. Any free port by default. */
  readonly listenPort?: number
}): Promise<DemoUpstream> {
  const { clock, listenPort = 0 } = options
  const state: DemoState = { clock, startedAtMs: clock.nowMs(), answers: 0 }
  const server = createServer((incoming, outgoing) => {
    answer(state, incoming, outgoing).catch((error: unknown) => sendError(outgoing, error))
  })
  const realtime = serveDemoRealtime(server)
  await new Promise<void>((listening, failed) => {
    server.once('error', failed)
    server.listen(listenPort, '127.0.0.1', listening)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : listenPort
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async close() {
      const closed = new Promise((done) => server.close(done))
      realtime.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(state: DemoState, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const route = `${incoming.method} ${new URL(incoming.url ?? '/', 'http://demo').pathname}`
  switch (route) {
    case 'GET /v1/models':
      return sendJson(outgoing, 200, listModels(state))
    case 'POST /v1/chat/completions':
      return answerChat(state, await readJsonBody(incoming), outgoing)
    case 'POST /v1/embeddings':
      return sendJson(outgoing, 200, answerEmbeddings(await readJsonBody(incoming)))
    case 'POST /v1/rerank':
      return sendJson(outgoing, 200, answerRerank(await readJsonBody(incoming)))
    case 'POST /v1/moderations':
      return sendJson(outgoing, 200, answerModeration(await readJsonBody(incoming)))
    case 'POST /v1/images/generations':
    case 'POST /v1/images/edits':
    case 'POST /v1/audio/speech':
    case 'POST /v1/audio/transcriptions':
    case 'POST /v1/audio/translations':
      return answerMedia(state.clock, { incoming, outgoing, route })
    default:
      incoming.resume()
      throw new DemoError(404, `The demo has nothing at ${route}.`, { code: 'unknown_url' })
  }
}

function answerChat(state: DemoState, body: JsonObject, outgoing: ServerResponse): void {
  const request = readDemoRequest(body)
  const planned = planDemoAnswer(request)
  state.answers += 1
  const label = {
    id: `demo-${state.startedAtMs.toString(36)}-${state.answers}`,
    createdAtSeconds: unixSeconds(state.clock.nowMs()),
  }
  if (request.stream) sendChunks(state.clock, outgoing, writeDemoChunks(planned, request, label))
  else sendJson(outgoing, 200, writeDemoReply(planned, request, label))
}

/** Sends the chunks in order, and stops when the caller disconnects. Answers are short, so no backlog builds up. */
function sendChunks(clock: Clock, outgoing: ServerResponse, chunks: readonly JsonObject[]): void {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  let next = 0
  const timer = clock.startTimer(WORD_DELAY_MS, sendNext)
  outgoing.on('close', timer.cancel)

  function sendNext(): void {
    const chunk = chunks[next]
    if (chunk === undefined) {
      outgoing.end('data: [DONE]\n\n')
      return
    }
    next += 1
    outgoing.write(`data: ${JSON.stringify(chunk)}\n\n`)
    timer.restart()
  }
}

function listModels(state: DemoState): JsonObject {
  const created = unixSeconds(state.startedAtMs)
  const data = [demoChatModel, demoEmbeddingModel].map((id) => ({
    id,
    object: 'model',
    created,
    owned_by: 'demo',
  }))
  return { object: 'list', data }
}

function sendError(outgoing: ServerResponse, error: unknown): void {
  if (outgoing.headersSent || outgoing.destroyed) {
    outgoing.destroy()
    return
  }
  const known = error instanceof DemoError ? error : new DemoError(500, 'The demo failed.')
  const { status, message, param, code } = known
  const type = status < 500 ? 'invalid_request_error' : 'server_error'
  sendJson(outgoing, status, { error: { message, type, param, code } })
}
