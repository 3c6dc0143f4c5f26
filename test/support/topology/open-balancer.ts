import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'

export interface Balancer extends AsyncDisposable {
  readonly url: string
}

/** Requests that change the installation; what they answer is on the other nodes a moment later. */
const isChange = ({ method, url = '' }: IncomingMessage) => method !== 'GET' && url.startsWith('/admin/')

/** The time within which a change that was announced is in force on all nodes of a calm machine. */
const SETTLED_MS = 250

/**
 * A balancer that hands each request to the next node, whatever connection it came on: the plainest one, without
 * affinity. It adds nothing to requests and answers, and breaks a connection where the other side is broken. Answers of
 * changes by the admin API wait a moment, as a person does between two steps.
 */
export async function openBalancer(urls: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true })
  let next = 0
  const nextUrl = () => {
    next += 1
    return new URL(urls[next % urls.length] ?? '')
  }
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    relay(incoming, outgoing, { target: nextUrl(), agent })
  const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 60_000 }, handle)
  server.on('checkContinue', handle)
  server.on('upgrade', (incoming, socket, head) =>
    relayUpgrade(incoming, { socket, head, target: nextUrl() }),
  )
  server.on('connection', (socket) => socket.setNoDelay(true))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}

interface Target {
  readonly target: URL
  readonly agent: Agent
}

function relay(incoming: IncomingMessage, outgoing: ServerResponse, { target, agent }: Target): void {
  const { method, url: path, rawHeaders } = incoming
  const { hostname: host, port } = target
  const sent = request({
    method,
    path,
    host,
    port,
    agent,
    headers: [...rawHeaders],
    setDefaultHeaders: false,
  })
  sent.on('continue', () => outgoing.writeContinue())
  sent.on('response', (answer) => {
    const begin = () => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, [...answer.rawHeaders])
      outgoing.flushHeaders()
      answer.pipe(outgoing)
    }
    answer.on('error', () => outgoing.socket?.destroy())
    if (isChange(incoming)) setTimeout(begin, SETTLED_MS)
    else begin()
  })
  sent.on('error', () => {
    if (!outgoing.writableEnded) outgoing.socket?.destroy()
  })
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) sent.destroy()
  })
  incoming.pipe(sent)
}

interface Upgraded {
  readonly socket: Duplex
  readonly head: Buffer
  readonly target: URL
}

/** Joins the two connections byte by byte, from the request on. */
function relayUpgrade(
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  { socket, head, target }: Upgraded,
): void {
  const node = connect({ host: target.hostname, port: Number(target.port), noDelay: true })
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : [],
  )
  node.write(`${method} ${url} HTTP/${httpVersion}\r\n${lines.join('\r\n')}\r\n\r\n`)
  node.write(head)
  node.pipe(socket).pipe(node)
  node.on('error', () => socket.destroy())
  socket.on('error', () => node.destroy())
  node.on('close', () => socket.destroy())
  socket.on('close', () => node.destroy())
}
