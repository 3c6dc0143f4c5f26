import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { openRawClient } from '../../test/support/raw-client.ts'
import { closeAfterAnswer } from './end-connection.ts'

const PART = Buffer.alloc(64 * 1024)

/** A client that goes on with an upload after the answer that refused it. */
async function openRefusedUpload() {
  await using cleanup = new AsyncDisposableStack()
  const clock = createFakeClock()
  const sockets: Socket[] = []
  const server = createServer((message, response) => {
    sockets.push(message.socket)
    closeAfterAnswer({ message, response }, clock)
    response.writeHead(400).end('refused')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  cleanup.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const client = await openRawClient(address.port)
  cleanup.defer(() => client.close())
  client.send(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${PART.length * 100}\r\n\r\n`)
  await client.until('refused')
  await expect.poll(() => clock.pendingTimers).toBe(1)
  const [socket] = sockets
  if (socket === undefined) throw new Error('the server has no connection')
  const opened = cleanup.move()
  return {
    socket,
    /** Lets a second pass, in which a part of the upload arrives or nothing does. */
    async passSecond({ arrives }: { readonly arrives: boolean }): Promise<void> {
      const before = socket.bytesRead
      if (arrives) {
        client.send(PART)
        await expect.poll(() => socket.bytesRead).toBe(before + PART.length)
      }
      clock.advance(1_000)
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

it('a refused upload is read on for as long as its bytes arrive, so that its client sees the answer', async () => {
  await using upload = await openRefusedUpload()
  for (let second = 0; second < 5; second += 1) {
    await upload.passSecond({ arrives: true })
    expect(upload.socket.destroyed).toBe(false)
  }
  await upload.passSecond({ arrives: false })
  expect(upload.socket.destroyed).toBe(true)
})

it('a refused upload ends after half a minute, however long it goes on', async () => {
  await using upload = await openRefusedUpload()
  for (let second = 0; second < 29; second += 1) await upload.passSecond({ arrives: true })
  expect(upload.socket.destroyed).toBe(false)
  await upload.passSecond({ arrives: true })
  expect(upload.socket.destroyed).toBe(true)
})
