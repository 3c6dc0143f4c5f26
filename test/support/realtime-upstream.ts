import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

export type RealtimeFields = Readonly<Record<string, unknown>> & { readonly type: string }

/** One session as the provider sees it. */
export interface ProviderSession {
  readonly request: IncomingMessage
  readonly socket: WebSocket
  /** The events of the gateway, in order. */
  readonly events: readonly RealtimeFields[]
  send(event: object): void
  /** The event of this type with this number, as soon as it is here. */
  next(type: string, index?: number): Promise<RealtimeFields>
  readonly closed: Promise<unknown>
}

export interface RealtimeUpstream extends AsyncDisposable {
  readonly origin: string
  readonly sessions: readonly ProviderSession[]
  /** Handshakes that were refused. */
  readonly refusals: number
  /** The session with this number, as soon as it is open. */
  session(index: number): Promise<ProviderSession>
}

export interface RealtimeScript {
  /** The usage of each response. */
  readonly usage?: object
  /** Whether it answers responses by itself. */
  readonly isManual?: boolean
  /** The status with which it refuses to open a session. */
  readonly refuses?: number
  readonly turnDetection?: object | null
}

/** Texts that no caller may see. */
export const providersSession = 'sess_of_provider'
export const providersSecret = 'ek_of_provider'

const usual = {
  total_tokens: 300,
  input_tokens: 200,
  output_tokens: 100,
  input_token_details: {
    text_tokens: 120,
    audio_tokens: 80,
    image_tokens: 0,
    cached_tokens: 50,
    cached_tokens_details: { text_tokens: 30, audio_tokens: 20, image_tokens: 0 },
  },
  output_token_details: { text_tokens: 40, audio_tokens: 60 },
}

const detection = { type: 'server_vad', threshold: 0.5, create_response: true, interrupt_response: true }

/** A provider of realtime sessions by OpenAI's documented events, strict about those that it gets. */
export async function openRealtimeUpstream(script: RealtimeScript = {}): Promise<RealtimeUpstream> {
  const sessions: ProviderSession[] = []
  const waiting: (() => void)[] = []
  let refusals = 0
  const server = createServer((_incoming, outgoing) => outgoing.writeHead(404).end())
  const webSockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (script.refuses !== undefined) {
      refusals += 1
      const body = JSON.stringify({ error: { message: 'refused', code: 'refused' } })
      socket.end(
        `HTTP/1.1 ${script.refuses} Refused\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      )
      return
    }
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      sessions.push(openSession(webSocket, request, script))
      for (const wake of waiting.splice(0)) wake()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    sessions,
    get refusals() {
      return refusals
    },
    async session(index) {
      for (;;) {
        const found = sessions[index]
        if (found !== undefined) return found
        await new Promise<void>((wake) => waiting.push(wake))
      }
    },
    async [Symbol.asyncDispose]() {
      for (const { socket } of sessions) socket.terminate()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function openSession(
  socket: WebSocket,
  request: IncomingMessage,
  { usage = usual, isManual = false, turnDetection = detection }: RealtimeScript,
): ProviderSession {
  const events: RealtimeFields[] = []
  const waiting: (() => void)[] = []
  let responses = 0
  const send = (event: object) => socket.send(JSON.stringify({ event_id: 'event_provider', ...event }))
  let session: Record<string, unknown> = {
    type: 'realtime',
    object: 'realtime.session',
    id: providersSession,
    client_secret: { value: providersSecret, expires_at: 4_102_444_800 },
    model: new URL(request.url ?? '', 'http://x').searchParams.get('model'),
    output_modalities: ['audio'],
    max_output_tokens: 'inf',
    audio: { input: { turn_detection: turnDetection }, output: { voice: 'marin' } },
  }
  const answer = () => {
    responses += 1
    const id = `resp_${responses}`
    send({ type: 'response.created', response: { object: 'realtime.response', id, status: 'in_progress' } })
    send({ type: 'response.output_text.delta', response_id: id, item_id: 'item_1', delta: 'Hello' })
    send({ type: 'response.output_text.done', response_id: id, item_id: 'item_1', text: 'Hello' })
    send({
      type: 'response.done',
      response: { object: 'realtime.response', id, status: 'completed', output: [], usage },
    })
    send({ type: 'rate_limits.updated', rate_limits: [{ name: 'tokens', remaining: 7 }] })
  }
  socket.on('message', (data) => {
    const event: RealtimeFields = JSON.parse(String(data))
    events.push(event)
    for (const wake of waiting.splice(0)) wake()
    if (event.type === 'session.update') {
      session = { ...session, ...(event['session'] as object) }
      send({ type: 'session.updated', session })
    }
    if (event.type === 'response.create' && !isManual) answer()
  })
  send({ type: 'session.created', session })
  return {
    request,
    socket,
    events,
    send,
    closed: once(socket, 'close'),
    async next(type, index = 0) {
      for (;;) {
        const found = events.filter((event) => event.type === type)[index]
        if (found !== undefined) return found
        await new Promise<void>((wake) => waiting.push(wake))
      }
    },
  }
}
