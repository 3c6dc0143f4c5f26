import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { testKey } from './start-gateway.ts'

export type SocketEvent = Readonly<Record<string, unknown>> & { readonly type: string }

export interface SocketClient extends AsyncDisposable {
  readonly socket: WebSocket
  /** All events, in the order in which they came. */
  readonly events: readonly SocketEvent[]
  send(event: object): void
  /** The first event of the type from this position on, as soon as it is here. */
  next(type: string, from?: number): Promise<SocketEvent>
  /** The close code and its reason. */
  readonly closed: Promise<readonly [code: number, reason: string]>
}

export interface SocketOptions {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The path with its query, where it is not that of the Responses API. */
  readonly path?: string
  readonly protocols?: readonly string[]
}

function connect(
  url: string,
  { key = testKey, headers = {}, path = '/v1/responses', protocols = [] }: SocketOptions,
): WebSocket {
  return new WebSocket(`${url.replace('http', 'ws')}${path}`, [...protocols], {
    headers: { ...(key !== '' && { authorization: `Bearer ${key}` }), ...headers },
  })
}

/** Connects over WebSocket. Fails where the gateway does not let it in. */
export async function openSocket(url: string, options: SocketOptions = {}): Promise<SocketClient> {
  const socket = connect(url, options)
  const events: SocketEvent[] = []
  const waiting: (() => void)[] = []
  socket.on('message', (data) => {
    events.push(JSON.parse(String(data)))
    for (const wake of waiting.splice(0)) wake()
  })
  const closed = once(socket, 'close').then(
    ([code, reason]): readonly [number, string] => [Number(code), String(reason)],
    (error: unknown): readonly [number, string] => [0, String(error)],
  )
  await once(socket, 'open')
  return {
    socket,
    events,
    closed,
    send: (event) => socket.send(JSON.stringify(event)),
    async next(type, from = 0) {
      for (;;) {
        const found = events.slice(from).find((event) => event.type === type)
        if (found !== undefined) return found
        await new Promise<void>((wake) => waiting.push(wake))
      }
    },
    async [Symbol.asyncDispose]() {
      socket.terminate()
      await closed
    },
  }
}

/** The answer to a handshake that was refused. */
export async function refusedHandshake(url: string, options: SocketOptions = {}) {
  const socket = connect(url, options)
  const [, response]: [unknown, IncomingMessage] = await new Promise((resolve, reject) => {
    socket.on('unexpected-response', (...answer) => resolve(answer))
    socket.on('open', () => reject(new Error('the handshake was not refused')))
    socket.on('error', () => undefined)
  })
  let text = ''
  for await (const chunk of response) text += chunk
  socket.terminate()
  const body: unknown = JSON.parse(text)
  return { status: response.statusCode, headers: response.headers, body }
}
