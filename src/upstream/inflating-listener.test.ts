import { createServer, type ServerResponse } from 'node:http'
import { createGzip, gzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { until } from '../../test/support/until.ts'
import { openUpstream } from './open-upstream.ts'
import type { TransportFault } from './transport-fault.ts'
import { emptyBody } from './upstream-body.ts'

/** An answer in gzip, written as the test says; what came of it. */
async function openCall(write: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' })
    write(response)
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
  const seen = {
    text: '',
    bytes: 0,
    headers: {},
    isOver: false,
    fault: undefined as TransportFault | undefined,
  }
  const flow = upstream.call(
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
    {
      onHead(_status, headers) {
        seen.headers = headers
      },
      onData(chunk) {
        seen.bytes += chunk.length
        if (seen.bytes < 1_000) seen.text += chunk
      },
      onEnd() {
        seen.isOver = true
      },
      onFault(fault) {
        seen.fault = fault
      },
    },
  )
  return { flow, seen }
}

it('emits each part of a stream as soon as the sender flushes it, and hides the encoding', async () => {
  const gzip = createGzip()
  const { seen } = await openCall((response) => void gzip.pipe(response))
  for (const part of ['one ', 'two ', 'three']) {
    gzip.write(part)
    gzip.flush()
    await until(part, () => seen.text.endsWith(part))
  }
  expect([seen.isOver, 'content-encoding' in seen.headers]).toEqual([false, false])
  gzip.end()
  await until('the end', () => seen.isOver)
  expect(seen.text).toBe('one two three')
})

it('passes on the data before a cut, and then reports the fault', async () => {
  const gzip = createGzip()
  const { seen } = await openCall((response) => {
    gzip.on('data', (chunk) => response.write(chunk))
    gzip.write('some words')
    gzip.flush(() => setImmediate(() => response.socket?.end()))
  })
  await until('a fault', () => seen.fault !== undefined)
  expect([seen.text, seen.fault?.kind, seen.isOver]).toEqual(['some words', 'truncated', false])
})

it('emits nothing while paused, and everything afterwards', async () => {
  const text = 'a'.repeat(200_000)
  const { flow, seen } = await openCall((response) => response.end(gzipSync(Buffer.from(text), { level: 0 })))
  flow.pause()
  for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next))
  const [before] = [seen.bytes]
  flow.resume()
  await until('the end', () => seen.isOver)
  expect([before, seen.bytes]).toEqual([0, 200_000])
})

it('stops at a hundred times the size, long before a decompression bomb is inflated', async () => {
  const bomb = gzipSync(Buffer.alloc(256 * 1_048_576))
  const { seen } = await openCall((response) => response.end(bomb))
  await until('a fault', () => seen.fault !== undefined)
  expect(seen.fault).toMatchObject({ kind: 'bad-http', onReusedConnection: false })
  expect(seen.bytes).toBeLessThan(bomb.length * 100 + 1_048_576)
})

it('emits nothing after the call is aborted', async () => {
  const gzip = createGzip()
  const { flow, seen } = await openCall((response) => void gzip.pipe(response))
  gzip.write('one')
  gzip.flush()
  await until('the first part', () => seen.text === 'one')
  flow.abort()
  gzip.end('two')
  for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next))
  expect([seen.text, seen.isOver, seen.fault]).toEqual(['one', false, undefined])
})
