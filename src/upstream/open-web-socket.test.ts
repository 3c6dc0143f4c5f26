import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { readCertificate, readIdentity } from '../../test/support/certificate.ts'
import { openProxy } from '../../test/support/open-proxy.ts'
import { createWebSocketOpener, type WebSocketRequest } from './open-web-socket.ts'

async function openServer(status: number) {
  let asked = 0
  const server = createServer()
  server.on('upgrade', (_request, socket) => {
    asked += 1
    socket.end(`HTTP/1.1 ${status} Other\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const request: WebSocketRequest = {
    origin: `http://127.0.0.1:${port}`,
    pathAndQuery: '/v1/realtime?model=m',
    headers: {},
    connectTimeoutMs: 1_000,
    allowPrivate: true,
  }
  return {
    request,
    asked: () => asked,
    [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())),
  }
}

it('a WebSocket does not connect to a private address unless the channel allows it', async () => {
  await using server = await openServer(200)
  const opened = await createWebSocketOpener()({ ...server.request, allowPrivate: false }, 1_000)
  expect(opened).toMatchObject({ type: 'failed', fault: { kind: 'destination-refused' } })
  expect(server.asked()).toBe(0)
})

it('a WebSocket follows no redirect', async () => {
  await using server = await openServer(302)
  const opened = await createWebSocketOpener()(server.request, 1_000)
  expect(opened).toMatchObject({ type: 'answered', status: 302 })
})

it('a WebSocket to a closed port reports a refused connection', async () => {
  await using server = await openServer(200)
  const opened = await createWebSocketOpener()({ ...server.request, origin: 'http://127.0.0.1:1' }, 1_000)
  expect(opened).toMatchObject({ type: 'failed', fault: { kind: 'refused' } })
})

it('a WebSocket to a plain address goes through a tunnel of the proxy', async () => {
  await using server = await openServer(403)
  await using proxy = await openProxy({ leadsTo: new URL(server.request.origin).host })
  const request = { ...server.request, origin: 'http://live.test', proxy: proxy.url, allowPrivate: false }
  expect(await createWebSocketOpener()(request, 2_000)).toMatchObject({ type: 'answered', status: 403 })
  expect([proxy.asked, server.asked()]).toEqual([['CONNECT live.test:80'], 1])
})

it('a WebSocket to an IPv6 address is dialed without its brackets', async () => {
  await using server = await openServer(200)
  const opened = await createWebSocketOpener()({ ...server.request, origin: 'http://[::1]:1' }, 1_000)
  expect(opened).toMatchObject({ type: 'failed', fault: { kind: 'refused' } })
})

it('a connection pool to an address is shared only for equal settings', async () => {
  await using server = await openServer(302)
  const open = createWebSocketOpener()
  const answers = []
  for (const allowPrivate of [true, false, true])
    answers.push((await open({ ...server.request, allowPrivate }, 1_000)).type)
  expect([answers, server.asked()]).toEqual([['answered', 'failed', 'answered'], 2])
})

it('a WebSocket trusts only the certificate authorities of its own channel', async () => {
  const server = createTlsServer(readIdentity('first'))
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const request = {
    origin: `https://127.0.0.1:${port}`,
    pathAndQuery: '/',
    headers: {},
    connectTimeoutMs: 1_000,
    allowPrivate: true,
  }
  const authorities = { id: 'tests', pem: readCertificate('ca.crt') }
  const open = createWebSocketOpener()
  const types = []
  for (const more of [{ authorities }, {}, { authorities }])
    types.push((await open({ ...request, ...more }, 2_000)).type)
  expect(types).toEqual(['answered', 'failed', 'answered'])
  server.close()
})

it('returns the error of a provider that refuses the session and does not end its text', async () => {
  const server = createServer()
  const sockets: Duplex[] = []
  server.on('upgrade', (_request, socket) => {
    sockets.push(socket)
    socket.write('HTTP/1.1 429 Too Many Requests\r\ncontent-length: 90\r\n\r\n{"error":')
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const request = {
    origin: `http://127.0.0.1:${port}`,
    pathAndQuery: '/',
    headers: {},
    allowPrivate: true,
    connectTimeoutMs: 2_000,
  }
  const opened = await createWebSocketOpener()(request, 200)
  expect(opened).toMatchObject({ type: 'answered', status: 429, body: Buffer.from('{"error":') })
})
