import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/** A fault of a provider while a session is opened. */
export interface HandshakeFault {
  readonly name: string
  answer(socket: Duplex): void
  /** The status where no other channel is left. */
  readonly status: number
}

function refusal(status: number, type = 'application/json'): HandshakeFault['answer'] {
  const body = type === 'application/json' ? '{"error":{"message":"upstream words"}}' : '<html></html>'
  const head = `HTTP/1.1 ${status} Fault\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}`
  return (socket) => void socket.end(`${head}\r\n\r\n${body}`)
}

export const handshakeFaults: readonly HandshakeFault[] = [
  { name: 'a reset', answer: (socket) => socket.destroy(), status: 502 },
  { name: 'a cut', answer: (socket) => void socket.end('HTTP/1.1 101 Swit'), status: 502 },
  { name: 'a refused key', answer: refusal(401), status: 502 },
  { name: 'a rate limit', answer: refusal(429), status: 429 },
  { name: 'a server error', answer: refusal(500), status: 502 },
  { name: 'an overload', answer: refusal(503), status: 503 },
  { name: 'a web page', answer: refusal(200, 'text/html'), status: 502 },
  {
    name: 'a switch to something else',
    answer: (socket) =>
      void socket.write(
        'HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: none\r\n\r\n',
      ),
    status: 502,
  },
]

export interface FaultyUpstream extends AsyncDisposable {
  readonly origin: string
  /** The handshakes that came. */
  readonly handshakes: number
}

/** A provider with whom no session can be opened. */
export async function openFaultyUpstream({ answer }: HandshakeFault): Promise<FaultyUpstream> {
  let handshakes = 0
  const sockets: Duplex[] = []
  const server = createServer((_incoming, outgoing) => outgoing.writeHead(404).end())
  server.on('upgrade', (_request, socket) => {
    handshakes += 1
    sockets.push(socket)
    socket.on('error', () => undefined)
    answer(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get handshakes() {
      return handshakes
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** A fault of a provider within a session, with the code that the caller hears of. */
export interface SessionFault {
  readonly name: string
  happen(socket: WebSocket): void
  readonly code: string
}

const MEGABYTE = 1024 * 1024

export const sessionFaults: readonly SessionFault[] = [
  { name: 'breaks off', happen: (socket) => socket.terminate(), code: 'upstream_disconnected' },
  {
    name: 'closes for a fault',
    happen: (socket) => socket.close(1011, 'internal error'),
    code: 'upstream_disconnected',
  },
  {
    name: 'sends what is no JSON',
    happen: (socket) => socket.send('{"type":'),
    code: 'upstream_bad_response',
  },
  { name: 'sends no object', happen: (socket) => socket.send('[]'), code: 'upstream_bad_response' },
  {
    name: 'sends JSON that is too deep',
    happen: (socket) => socket.send(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
    code: 'upstream_bad_response',
  },
  {
    name: 'sends a frame that is too large',
    happen: (socket) => socket.send(`{"a":"${'x'.repeat(17 * MEGABYTE)}"}`),
    code: 'upstream_disconnected',
  },
  {
    name: 'breaks the protocol',
    happen: (socket) => void Reflect.get(socket, '_socket').write(Buffer.from([0xff, 0xff, 0xff])),
    code: 'upstream_disconnected',
  },
]
