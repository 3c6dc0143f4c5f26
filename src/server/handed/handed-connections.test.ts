import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { openRawClient } from '../../../test/support/raw-client.ts'
import { nextTurn } from '../../kit/time/clock.ts'
import { HandedConnections } from './handed-connections.ts'

it('a caller that has ended its side of a handed connection receives what is sent to it', async () => {
  const server = createServer()
  server.on('upgrade', (_request, socket) => {
    socket.on('end', () => void nextTurn().then(() => socket.end('answered'))).resume()
  })
  const connections = new HandedConnections(0)
  await connections.attach(server)
  // Node gives a connection of another process these settings.
  const accepting = createTcpServer({ allowHalfOpen: false }, (socket: Socket) => connections.adopt(socket))
  accepting.listen(0, '127.0.0.1')
  await once(accepting, 'listening')
  const { port } = accepting.address() as AddressInfo
  const client = await openRawClient(port)
  client.send('GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: test\r\n\r\n')
  client.socket.end()
  await client.ended
  expect(client.text).toBe('answered')
  client.close()
  accepting.close()
})
