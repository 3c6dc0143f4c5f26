import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { readIdentity } from './certificate.ts'

export interface TestProxy extends AsyncDisposable {
  /** The proxy's address, such as `http://127.0.0.1:4321`. */
  readonly url: string
  /** The requests in order, such as `CONNECT api.example.com:443` or `POST http://api.example.com/v1`. */
  readonly asked: readonly string[]
  /** Resets all connections. */
  reset(): void
}

export interface ProxyPlan {
  /** Whom it lets through; everyone where nothing is said. */
  readonly user?: string
  /** The actual destination of every tunnel and every request, whatever its name: `host:port`. */
  readonly leadsTo: string
  /** Whether it is itself reached by https. */
  readonly isSecure?: boolean
}

/** A small proxy of the tests, with tunnels and with requests that are passed on. */
export async function openProxy({ user, leadsTo, isSecure = false }: ProxyPlan): Promise<TestProxy> {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const isKnown = ({ headers }: IncomingMessage) =>
    user === undefined || headers['proxy-authorization'] === `Basic ${Buffer.from(user).toString('base64')}`
  const passOn = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    asked.push(`${incoming.method} ${incoming.url}`)
    if (isKnown(incoming)) forward(incoming, outgoing, leadsTo)
    else outgoing.writeHead(407, { 'proxy-authenticate': 'Basic' }).end()
  }
  const server = isSecure ? createSecureServer(readIdentity('second'), passOn) : createServer(passOn)
  server.on('connection', (socket) => void sockets.add(socket))
  server.on('connect', (message, client) => {
    asked.push(`CONNECT ${message.url}`)
    if (!isKnown(message)) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
      return
    }
    const [host, port] = leadsTo.split(':')
    const onward = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      onward.pipe(client).pipe(onward)
    })
    onward.on('error', () => client.destroy())
    client.on('error', () => onward.destroy())
    sockets.add(onward)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    url: `${isSecure ? 'https' : 'http'}://127.0.0.1:${address.port}`,
    asked,
    reset() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, leadsTo: string): void {
  const { pathname, search } = new URL(incoming.url ?? '')
  const [host, port] = leadsTo.split(':')
  const { 'proxy-authorization': _known, ...headers } = incoming.headers
  const onward = sendRequest(
    { host, port, method: incoming.method, path: pathname + search, headers, agent: false },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    },
  )
  incoming.pipe(onward)
  onward.on('error', () => outgoing.destroy())
}
