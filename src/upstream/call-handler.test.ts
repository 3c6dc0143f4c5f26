import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { until } from '../../test/support/until.ts'
import { openUpstream } from './open-upstream.ts'
import type { TransportFault } from './transport-fault.ts'
import type { UpstreamListener } from './upstream.ts'
import { emptyBody } from './upstream-body.ts'

type Step = 'onSent' | 'onHead' | 'onData' | 'onEnd' | 'onFault'

/** Calls a server whose answer the listener throws over, at one step of it. */
async function callThrowingAt(step: Step, coding: string) {
  let open = 0
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-encoding': coding })
    response.write(coding === 'gzip' ? gzipSync('words') : 'words', () => {
      if (step === 'onFault') response.destroy()
    })
    if (step !== 'onFault' && step !== 'onData') response.end()
  })
  server.on('connection', (socket) => {
    open += 1
    socket.on('close', () => {
      open -= 1
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const upstream = openUpstream()
  onTestFinished(async () => {
    await upstream.close()
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('there is no port')
  const faults: TransportFault[] = []
  const throwAt = (at: Step) => {
    if (at === step) throw new RangeError(`thrown at ${at}`)
  }
  const listener: UpstreamListener = {
    onSent: () => throwAt('onSent'),
    onHead: () => throwAt('onHead'),
    onData: () => throwAt('onData'),
    onEnd: () => throwAt('onEnd'),
    onFault(fault) {
      faults.push(fault)
      if (faults.length === 1) throwAt('onFault')
    },
  }
  upstream.call(
    {
      method: 'GET',
      pathAndQuery: '/',
      headers: {},
      body: emptyBody,
      allowPrivate: true,
      connectTimeoutMs: 5_000,
      mayInflate: true,
      origin: `http://127.0.0.1:${address.port}`,
    },
    listener,
  )
  return { faults, open: () => open }
}

it.each([
  ['onSent', 'identity'],
  ['onHead', 'identity'],
  ['onHead', 'gzip'],
  ['onData', 'identity'],
  ['onData', 'gzip'],
  ['onEnd', 'identity'],
  ['onEnd', 'gzip'],
  ['onFault', 'identity'],
  ['onFault', 'gzip'],
] as const)('a listener that throws in %s ends its call with a fault, encoding %s', async (step, coding) => {
  const { faults, open } = await callThrowingAt(step, coding)
  await until('the listener got a fault', () => faults.at(-1)?.kind === 'unreadable')
  expect(faults.at(-1)?.message).toMatch(/^RangeError: thrown at \w+\n\s+at /)
  // A call that was whole leaves its connection to the next.
  if (step !== 'onEnd') await until('its connection is closed', () => open() === 0)
})
