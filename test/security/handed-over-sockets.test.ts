import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { expect, it } from 'vitest'
import { readCertificate, readIdentity } from '../support/certificate.ts'
import { openRawClient } from '../support/raw-client.ts'
import { startGateway } from '../support/start-gateway.ts'
import { startProcess } from '../support/start-process.ts'
import { untilAsync } from '../support/until.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'
const connect = 'CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n'
const upgrade = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'
const expectation = 'POST /v1/nope HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n'
const broken = 'GET / HTTP/9.9\r\n\r\n'

/** Gives the moment of the reset, for a socket that has just got a request. */
type Moment = (socket: Socket) => Promise<unknown>

const moments: Readonly<Record<string, Moment>> = {
  'before the request is sent': async () => undefined,
  'once it is sent': (socket) => new Promise((sent) => socket.write('', sent)),
  'with the first bytes of the answer': (socket) => once(socket, 'data'),
  'after the answer': untilAnswered,
}

async function untilAnswered(socket: Socket): Promise<void> {
  let text = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += chunk
    if (isWhole(text)) return
  }
}

function isWhole(text: string): boolean {
  const [head = '', body] = text.split('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  return length !== undefined && body?.length === Number(length)
}

async function resetOn(port: number, isSecure = false): Promise<void> {
  for (const request of [connect, upgrade, expectation, broken]) {
    for (const moment of Object.values(moments)) {
      const tcp = connectTcp({ host: '127.0.0.1', port })
      const socket = isSecure
        ? connectTls({
            socket: tcp,
            ca: readCertificate('ca.crt'),
            servername: 'localhost',
            checkServerIdentity: () => undefined,
          })
        : tcp
      socket.on('error', () => undefined)
      await once(socket, isSecure ? 'secureConnect' : 'connect')
      socket.write(request)
      await moment(socket)
      tcp.resetAndDestroy()
    }
  }
}

it('a reset after CONNECT, an upgrade or half a request ends only that connection, on both listeners', async () => {
  await using gateway = await startProcess(`admin: { listen: "127.0.0.1:0" }\n${demo}`)
  const server = JSON.parse(readFileSync(join(gateway.folder, 'data', 'server.json'), 'utf8'))
  const adminPort = Number(new URL(server.adminUrl).port)
  expect(adminPort).toBeGreaterThan(0)
  for (const port of [Number(new URL(gateway.url).port), adminPort]) {
    await resetOn(port)
    const client = await openRawClient(port)
    client.send(connect)
    await client.until('method_not_allowed')
    expect(client.text).toContain('HTTP/1.1 405 ')
  }
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  expect(gateway.child.exitCode).toBeNull()
  expect(gateway.errors()).not.toContain('ECONNRESET')
})

it('a reset after CONNECT over TLS ends only that connection', async () => {
  const { cert, key } = readIdentity('first')
  const files = { 'server.crt': cert, 'server.key': key }
  await using gateway = await startProcess(`tls: { cert: server.crt, key: server.key }\n${demo}`, files)
  const port = Number(new URL(gateway.url).port)
  await resetOn(port, true)
  const client = await openRawClient(port, { authority: readCertificate('ca.crt') })
  client.send(connect)
  await client.until('method_not_allowed')
  expect(gateway.child.exitCode).toBeNull()
})

it('a connection that requested a tunnel is closed even if its caller continues to send', async () => {
  await using gateway = await startProcess(demo)
  const client = await openRawClient(Number(new URL(gateway.url).port))
  client.send(connect)
  await client.until('method_not_allowed')
  client.send('x'.repeat(100_000))
  const closed = new Promise((resolve) => client.socket.once('close', () => resolve('closed')))
  await client.ended
  client.socket.on('error', () => undefined)
  const sendOn = (fault?: Error | null) => {
    if (fault === undefined || fault === null) client.socket.write('x'.repeat(1_000), sendOn)
  }
  sendOn()
  expect(await closed).toBe('closed')
})

it('a caller that does not close after a refused offer of a WebSocket holds no connection', async () => {
  const key = 'sk-real-0123456789abcdef'
  await using gateway = await startGateway(`keys: [{ name: ci, secret: ${key} }]\n${demo}`)
  const client = await openRawClient(gateway.port)
  client.send(
    `GET /v1/realtime?model=unknown HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  )
  await client.until('model_not_found')
  expect(await client.ended).toBe('fin')
  await untilAsync('the gateway gives the connection up', async () => {
    client.send('x')
    return client.socket.destroyed
  })
})
