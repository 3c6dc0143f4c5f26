import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:tls'
import { expect, test } from 'vitest'
import { systemRandom } from '../../kit/random/random.ts'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import { createLoopbackIdentity } from './loopback-identity.ts'

test('a client that trusts the certificate connects to 127.0.0.1', async () => {
  const { cert, key } = createLoopbackIdentity(Date.now(), systemRandom)
  const server = createServer({ cert, key }, (socket) => socket.end('hello')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const client = connect({ host: '127.0.0.1', port: port ?? 0, ca: cert })
  const [data] = await once(client, 'data')
  expect([String(data), client.authorized]).toEqual(['hello', true])
  await once(client.end(), 'close')
  server.close()
})

test.each([
  [2026, 'UTC'],
  [2051, 'generalized'],
])('the certificate is valid for an hour before and after a time in %i, encoded as %s time', (year) => {
  const nowMs = Date.UTC(year, 10, 29, 12)
  const { validFrom, validTo, subject, ca } = new X509Certificate(
    createLoopbackIdentity(nowMs, systemRandom).cert,
  )
  expect([Date.parse(validFrom), Date.parse(validTo)]).toEqual([nowMs - HOUR_MS, nowMs + HOUR_MS])
  expect([subject, ca]).toEqual(['CN=headgate warm-up', true])
})
