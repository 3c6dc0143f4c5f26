import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { relayOperators } from './relay-operators.ts'

const CALLS = 200
const PARTS = 20
const PART = 'x'.repeat(1_000)

it('passes on an answer that arrives before the request has been read', async () => {
  await using owner = await openOwner((_message, response) => {
    response.shouldKeepAlive = false
    response.writeHead(401).end('no')
  })
  const relay = relayOperators(owner.socketPath)
  await using front = await listen((message, response) => void relay(message, response), 0)
  const statuses = await Promise.all(Array.from({ length: CALLS }, () => postInParts(front.port)))
  expect(new Set(statuses)).toEqual(new Set(['401']))
  await expect.poll(() => owner.countConnections()).toBe(0)
})

async function openOwner(onRequest: RequestListener) {
  const folder = mkdtempSync(join(tmpdir(), 'relay-'))
  const socketPath = join(folder, 'owner.sock')
  const server = await listen(onRequest, socketPath)
  return {
    socketPath,
    countConnections: server.countConnections,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

async function listen(onRequest: RequestListener, place: number | string) {
  const server = createServer(onRequest)
  server.listen(place)
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    countConnections: promisify(server.getConnections.bind(server)),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Sends parts of its body while the first may be answered already, and returns the status. */
async function postInParts(port: number): Promise<string | undefined> {
  const socket = connect(port, '127.0.0.1')
  const answered = once(socket, 'data')
  socket.write(`POST /admin/v1/keys HTTP/1.1\r\nhost: a\r\ncontent-length: ${PARTS * PART.length}\r\n\r\n`)
  for (let part = 0; part < PARTS; part += 1) {
    socket.write(PART)
    await setImmediate()
  }
  const [answer] = await answered
  socket.destroy()
  return /^HTTP\/1.1 (\d+)/.exec(String(answer))?.[1]
}
