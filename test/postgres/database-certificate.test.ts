import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { readDatabase } from '../../src/config/database-schema.ts'
import { connectDatabase } from '../../src/storage/postgres/open-postgres-stores.ts'
import { readCertificate, readIdentity } from '../support/certificate.ts'

/** A server that agrees to TLS as PostgreSQL does, and goes no further. */
async function openEncryptedServer(): Promise<number> {
  const identity = readIdentity('first')
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write('S')
      const secured = new TLSSocket(socket, { isServer: true, ...identity })
      secured.on('error', () => undefined)
      secured.once('data', () => secured.destroy())
    })
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return port
}

const connect = (url: string, ca?: string) => connectDatabase(readDatabase(url, {}, ca))

test('a database whose certificate is not trusted is refused with the setting that names its authority', async () => {
  const url = `postgres://headgate@127.0.0.1:${await openEncryptedServer()}/test?sslmode=verify-full`
  const named = { code: 'database_away', advice: expect.stringContaining('database.ca_file') }
  await expect(connect(url)).rejects.toMatchObject(named)
  const trusted = connect(url, readCertificate('ca.crt'))
  await expect(trusted).rejects.toMatchObject({ advice: expect.not.stringContaining('ca_file') })
})
