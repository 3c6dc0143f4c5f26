import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { faultOfCall } from '../../test/support/fault-of-call.ts'

/** Answers the first call of a connection with these bytes, and closes it. */
function faultAfter(bytes: string) {
  const server = createServer((socket) => void socket.once('data', () => socket.end(bytes)))
  return faultOfCall(server, { scheme: 'http' })
}

it('a connection that breaks after an interim answer was no dead one, so its call is not sent again', async () => {
  expect(await faultAfter('HTTP/1.1 102 Processing\r\n\r\n')).toMatchObject({
    kind: 'reset',
    onReusedConnection: false,
  })
})

it('a 100 for which the call did not ask is an answer that cannot be read, and no broken connection', async () => {
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'
  expect(await faultAfter(`HTTP/1.1 100 Continue\r\n\r\n${answer}`)).toMatchObject({
    kind: 'bad-http',
    onReusedConnection: false,
  })
})
