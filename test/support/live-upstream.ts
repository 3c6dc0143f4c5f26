import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

export type LiveFields = Readonly<Record<string, unknown>>

/** One Live session as the provider sees it. */
export interface LiveProviderSession {
  readonly request: IncomingMessage
  readonly socket: WebSocket
  /** The messages of the gateway, in order. */
  readonly messages: readonly LiveFields[]
  send(message: object): void
  /** The message of this kind with this number, as soon as it is here. */
  next(kind: string, index?: number): Promise<LiveFields>
  readonly closed: Promise<unknown>
}

export interface LiveUpstream extends AsyncDisposable {
  readonly origin: string
  readonly sessions: readonly LiveProviderSession[]
  /** Handshakes that were refused. */
  readonly refusals: number
  session(index: number): Promise<LiveProviderSession>
}

export interface LiveScript {
  readonly usage?: object
  /** Whether nothing is answered by itself after the setup. */
  readonly isManual?: boolean
  /** The status with which it refuses to open a session. */
  readonly refuses?: number
  /** The close code with which it refuses a setup, and the words. */
  readonly refusesSetup?: number
  readonly refusal?: string
  /** The messages that it sends before the setup is complete. */
  readonly early?: number
}

/** 200 tokens in, of which 80 are sound; 100 out, of which 60 are sound, and 20 thoughts beside them. */
export const liveUsage = {
  promptTokenCount: 200,
  responseTokenCount: 100,
  thoughtsTokenCount: 20,
  totalTokenCount: 320,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 120 },
    { modality: 'AUDIO', tokenCount: 80 },
  ],
  responseTokensDetails: [
    { modality: 'TEXT', tokenCount: 40 },
    { modality: 'AUDIO', tokenCount: 60 },
  ],
}

const served = new Set(['clientContent', 'client_content', 'realtimeInput', 'toolResponse'])
const setupFields = new Set([
  'model',
  'generationConfig',
  'systemInstruction',
  'tools',
  'realtimeInputConfig',
])

/** A provider of Live sessions by Google's documented messages. It closes upon one that it does not know. */
export async function openLiveUpstream(script: LiveScript = {}): Promise<LiveUpstream> {
  const sessions: LiveProviderSession[] = []
  const waiting: (() => void)[] = []
  let refusals = 0
  const server = createServer((_incoming, outgoing) => outgoing.writeHead(404).end())
  const webSockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (script.refuses !== undefined) {
      refusals += 1
      const error = { code: script.refuses, message: 'refused', status: 'UNAVAILABLE' }
      const body = JSON.stringify({ error })
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
  {
    usage = liveUsage,
    isManual = false,
    refusesSetup,
    refusal = 'invalid setup of models/inner',
    early = 0,
  }: LiveScript,
): LiveProviderSession {
  const messages: LiveFields[] = []
  const waiting: (() => void)[] = []
  // Google sends its texts in binary frames.
  const send = (message: object) => socket.send(Buffer.from(JSON.stringify(message)))
  const answer = () => {
    send({ serverContent: { modelTurn: { parts: [{ text: 'Hello' }] } } })
    send({ serverContent: { generationComplete: true } })
    send({ sessionResumptionUpdate: { newHandle: 'handle-of-provider', resumable: true } })
    send({ serverContent: { turnComplete: true }, usageMetadata: usage })
  }
  const receiveSetup = (setup: unknown) => {
    const isFit =
      typeof setup === 'object' &&
      setup !== null &&
      Object.keys(setup).every((name) => setupFields.has(name)) &&
      String(Reflect.get(setup, 'model')).startsWith('models/')
    if (!isFit || refusesSetup !== undefined) socket.close(refusesSetup ?? 1007, refusal)
    else {
      for (let sent = 0; sent < early; sent += 1) send({ sessionResumptionUpdate: {} })
      send({ setupComplete: { sessionId: 'session-of-provider' } })
    }
  }
  socket.on('message', (data) => {
    const message: LiveFields = JSON.parse(String(data))
    const [kind = ''] = Object.keys(message)
    const isFirst = messages.length === 0
    messages.push(message)
    for (const wake of waiting.splice(0)) wake()
    if (isFirst) receiveSetup(message['setup'])
    else if (!served.has(kind)) socket.close(1007, `unknown message ${kind}`)
    else if (!isManual) answer()
  })
  return {
    request,
    socket,
    messages,
    send,
    closed: once(socket, 'close'),
    async next(kind, index = 0) {
      for (;;) {
        const found = messages.filter((message) => message[kind] !== undefined)[index]
        if (found !== undefined) return found
        await new Promise<void>((wake) => waiting.push(wake))
      }
    },
  }
}
