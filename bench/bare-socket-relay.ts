// The floor of sessions over WebSocket: the same library at both ends, nothing in between but the pings that keep
// connections open.
import { createServer } from 'node:http'
import { WebSocket, WebSocketServer } from 'ws'

const origin = (process.argv[2] ?? '').replace('http', 'ws')
const PING_EVERY_MS = 30_000
const server = createServer()
const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })

server.on('upgrade', (request, socket, head) => {
  const headers = { authorization: request.headers.authorization ?? '' }
  const upstream = new WebSocket(`${origin}${request.url}`, { headers, perMessageDeflate: false })
  upstream.once('open', () => {
    upstream.pause()
    webSockets.handleUpgrade(request, socket, head, (caller) => {
      join(caller, upstream)
      join(upstream, caller)
      upstream.resume()
    })
  })
  upstream.on('error', () => socket.destroy())
})

/** Hands what comes at one end on to the other, and reads no faster than that goes. */
function join(from: WebSocket, to: WebSocket): void {
  from.on('message', (data, isBinary) => {
    to.send(data, { binary: isBinary }, () => from.resume())
    if (to.bufferedAmount > 1_048_576) from.pause()
  })
  const pings = setInterval(() => from.ping(), PING_EVERY_MS)
  from.on('close', () => {
    clearInterval(pings)
    to.close()
  })
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})
// SIGUSR2 collects garbage under --expose-gc, so that memory is measured and not what nobody has swept yet.
process.on('SIGUSR2', () => globalThis.gc?.())
