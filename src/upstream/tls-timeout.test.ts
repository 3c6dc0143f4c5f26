import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openProxy } from '../../test/support/open-proxy.ts'
import { until } from '../../test/support/until.ts'
import { openUpstream } from './open-upstream.ts'
import type { TransportFault } from './transport-fault.ts'
import type { UpstreamRequest } from './upstream.ts'
import { emptyBody } from './upstream-body.ts'

/** Takes connections and never says a word on them. */
async function openSilent() {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket.resume().on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('there is no port')
  return { place: `127.0.0.1:${address.port}`, sockets }
}

function openGiven() {
  const upstream = openUpstream()
  onTestFinished(() => upstream.close())
  return upstream
}

function faultOf(
  given: Pick<UpstreamRequest, 'origin' | 'proxy'>,
  { upstream = openGiven(), tlsTimeoutMs = 100 } = {},
): Promise<TransportFault> {
  const times = { connectTimeoutMs: 30_000, tlsTimeoutMs }
  const request = {
    method: 'GET',
    pathAndQuery: '/',
    headers: {},
    body: emptyBody,
    allowPrivate: true,
    ...times,
  } as const
  return new Promise((resolve, reject) => {
    const onAnswer = () => reject(new Error('there was an answer'))
    upstream.call(
      { ...request, ...given },
      { onHead: onAnswer, onData: onAnswer, onEnd: onAnswer, onFault: resolve },
    )
  })
}

it('a stalled TLS handshake is distinguished from a failed connection, and its socket is closed', async () => {
  const { place, sockets } = await openSilent()
  expect(await faultOf({ origin: `https://${place}` })).toMatchObject({
    kind: 'tls-timeout',
    message: 'the TLS handshake was not over in 100 ms',
    onReusedConnection: false,
  })
  const [socket] = sockets
  if (socket?.closed === false) await once(socket, 'close')
  expect(sockets.length).toBe(1)
})

it('a stalled TLS handshake behind a tunnel is reported the same way', async () => {
  const { place } = await openSilent()
  await using proxy = await openProxy({ leadsTo: place })
  const fault = await faultOf({ origin: 'https://first.test', proxy: proxy.url })
  expect(fault.kind).toBe('tls-timeout')
})

it("first calls to a provider do not wait for one another's TLS handshake", async () => {
  const { place, sockets } = await openSilent()
  const upstream = openGiven()
  const times = { upstream, tlsTimeoutMs: 60_000 }
  const calls = Array.from({ length: 5 }, () => faultOf({ origin: `https://${place}` }, times))
  await until('all of them are connected', () => sockets.length === 5)
  await upstream.close()
  expect((await Promise.all(calls)).map(({ kind }) => kind)).toEqual(Array(5).fill('closed'))
})
