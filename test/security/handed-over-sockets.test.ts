import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { expect, it } from 'vitest'
import { readCertificate, readIdentity } from '../support/certificate.ts'
import { openRawClient } from '../support/raw-client.ts'
import { startProcess } from '../support/start-process.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'
const connect = 'CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n'
const upgrade = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'
const expectation = 'POST /v1/nope HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n'
const broken = 'GET / HTTP/9.9\r\n\r\n'

/** Before the answer, while it is written, and after it. */
const resetsAfterMs = [0, 1, 3, 30]

async function resetOn(port: number, isSecure = false): Promise<void> {
  for (const request of [connect, upgrade, expectation, broken]) {
    for (const delayMs of resetsAfterMs) {
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
      await pause(delayMs)
      tcp.resetAndDestroy()
    }
  }
}

it('a reset after CONNECT, an upgrade or half a request ends that connection alone, on both listeners', async () => {
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

it('a reset after CONNECT over TLS ends that connection alone', async () => {
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

it('a connection that asked for a tunnel is closed though its caller sends on and closes nothing', async () => {
  await using gateway = await startProcess(demo)
  const client = await openRawClient(Number(new URL(gateway.url).port))
  client.send(connect)
  await client.until('method_not_allowed')
  client.send('x'.repeat(100_000))
  const closed = new Promise((resolve) => client.socket.once('close', () => resolve('closed')))
  await client.ended
  client.socket.on('error', () => undefined)
  const sending = setInterval(() => client.send('x'.repeat(1_000)), 50)
  expect(await closed).toBe('closed')
  clearInterval(sending)
})
