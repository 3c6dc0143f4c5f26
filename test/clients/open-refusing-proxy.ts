import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RefusingProxy extends AsyncDisposable {
  /** Leads a program to this proxy for every address but this machine's own. */
  readonly environment: Readonly<Record<string, string>>
}

/**
 * A proxy that leads nowhere, so that a client sends no telemetry and looks for no updates. It answers, because some
 * wait long for one that cannot be reached.
 */
export async function openRefusingProxy(): Promise<RefusingProxy> {
  const server = createServer((_request, response) => response.writeHead(403).end())
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy())
    socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${portOf(server.address())}`
  const direct = '127.0.0.1,localhost'
  return {
    environment: {
      HTTP_PROXY: url,
      HTTPS_PROXY: url,
      http_proxy: url,
      https_proxy: url,
      NO_PROXY: direct,
      no_proxy: direct,
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return address.port
}
