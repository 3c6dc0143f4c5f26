import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openUpstream } from './open-upstream.ts'
import type { TransportFault } from './transport-fault.ts'
import { emptyBody } from './upstream-body.ts'

/** Answers the first call of a connection with these bytes, and closes it. */
async function faultAfter(bytes: string): Promise<TransportFault> {
  const server = createServer((socket) => void socket.once('data', () => socket.end(bytes)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const upstream = openUpstream()
  onTestFinished(() => upstream.close())
  const request = {
    method: 'POST',
    origin: `http://127.0.0.1:${port}`,
    pathAndQuery: '/',
    headers: {},
    body: emptyBody,
    connectTimeoutMs: 2_000,
    allowPrivate: true,
  } as const
  return new Promise((resolve, reject) => {
    const onAnswer = () => reject(new Error('there was an answer'))
    upstream.call(request, { onHead: onAnswer, onData: onAnswer, onEnd: onAnswer, onFault: resolve })
  })
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
