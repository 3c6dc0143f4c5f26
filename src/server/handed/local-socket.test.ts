import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createLocalSource } from './local-socket.ts'

/** A server on a socket that answers with the address that it takes its caller for. */
async function openServer() {
  const path = join(makeTemporaryFolder(), 'owner.sock')
  writeFileSync(path, 'left by a process that was killed')
  const server = createServer(({ socket: { remoteAddress } }, response) => response.end(`${remoteAddress}`))
  onTestFinished(() => void server.close())
  const source = createLocalSource(path, 8080)
  await source.attach(server)
  return { path, source }
}

async function ask(socketPath: string, relayed?: string): Promise<string> {
  const headers = relayed === undefined ? {} : { 'x-headgate-relayed': relayed }
  const sent = request({ socketPath, headers, agent: false })
  const answered = once(sent, 'response')
  sent.end()
  const [response] = await answered
  return text(response)
}

it('listens on a socket left by a killed process, with access for the file owner only', async () => {
  const { path, source } = await openServer()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(source.port).toBe(8080)
  expect(await ask(path)).toBe('undefined')
})

it('uses the caller address of a relayed request', async () => {
  const { path } = await openServer()
  expect(await ask(path, '{"remoteAddress":"203.0.113.7","encrypted":true}')).toBe('203.0.113.7')
})

it('uses the address of the connection if the relayed facts are unreadable', async () => {
  const { path } = await openServer()
  expect(await ask(path, '{"remoteAddress":"203.0.113.7"}')).toBe('undefined')
})
