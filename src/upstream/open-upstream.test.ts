import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { openScriptedUpstream } from '../../test/support/scripted-upstream.ts'
import type { ResolveName } from './guarded-connector.ts'
import { openUpstream } from './open-upstream.ts'
import type { TransportFault } from './transport-fault.ts'
import { emptyBody, jsonBody } from './upstream-body.ts'

const KILOBYTE = 1_024
const STREAMS = 4_200
/** A listener's backlog is 511. */
const STREAMS_AT_ONCE = 200

it.each([
  ['few small parts', [1, 40, 8]],
  ['small parts before large ones', [1, 40, 8, 64 * KILOBYTE, 64 * KILOBYTE, 14 * KILOBYTE]],
  ['nothing but small parts, and many', Array.from({ length: 5_000 }, (_, index) => index % 97)],
])('sends a body of %s complete and in order', async (_name, sizes) => {
  await using receiver = await openScriptedUpstream({})
  const upstream = openUpstream()
  onTestFinished(() => upstream.close())
  const body = sizes.map((size, index) => Buffer.alloc(size, index))
  const whole = Buffer.concat(body)
  const ended = Promise.withResolvers<void>()
  upstream.call(
    {
      method: 'POST',
      pathAndQuery: '/',
      origin: receiver.origin,
      allowPrivate: true,
      connectTimeoutMs: 5_000,
      headers: { 'content-length': String(whole.length) },
      body: { type: 'bytes', parts: body },
    },
    {
      onHead: () => undefined,
      onData: () => undefined,
      onEnd: ended.resolve,
      onFault: ({ message }) => ended.reject(new Error(message)),
    },
  )
  await ended.promise
  const sent = await receiver.request(0)
  expect(sent.body.equals(whole)).toBe(true)
})

it('reports that the request was sent before any part of the answer', async () => {
  await using receiver = await openScriptedUpstream({ chunks: ['word'] })
  const upstream = openUpstream()
  onTestFinished(() => upstream.close())
  const told: string[] = []
  const ended = Promise.withResolvers<void>()
  upstream.call(
    {
      method: 'POST',
      pathAndQuery: '/',
      origin: receiver.origin,
      allowPrivate: true,
      connectTimeoutMs: 5_000,
      headers: { 'content-length': '2' },
      body: jsonBody({}),
    },
    {
      onSent: () => told.push('sent'),
      onHead: (status) => told.push(`head ${status}`),
      onData: (chunk) => told.push(chunk.toString()),
      onEnd: ended.resolve,
      onFault: ({ message }) => ended.reject(new Error(message)),
    },
  )
  await ended.promise
  expect(told).toEqual(['sent', 'head 200', 'word'])
})

it('opens a connection for each open stream, however many there are', async () => {
  const server = createServer((_request, response) => response.writeHead(200).flushHeaders())
  onTestFinished(() => void server.close().closeAllConnections())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const upstream = openUpstream()
  onTestFinished(() => upstream.close())
  for (let opened = 0; opened < STREAMS; opened += STREAMS_AT_ONCE)
    await Promise.all(Array.from({ length: STREAMS_AT_ONCE }, () => headOf(origin)))

  function headOf(to: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const request = { method: 'GET', pathAndQuery: '/', origin: to, allowPrivate: true, headers: {} } as const
    upstream.call(
      { ...request, connectTimeoutMs: 5_000, body: emptyBody },
      {
        onHead: () => resolve(),
        onData: () => undefined,
        onEnd: () => undefined,
        onFault: ({ message }) => reject(new Error(message)),
      },
    )
    return promise
  }
})

it.each(['EAI_AGAIN', 'EAI_FAIL', 'EAI_SYSTEM'])(
  'a name that the resolver could not look up is unknown: %s',
  async (code) => {
    const resolve: ResolveName = (_name, _options, callback) =>
      callback(Object.assign(new Error('getaddrinfo'), { code }), [])
    const upstream = openUpstream({ keepAliveMs: 1_000, guard: { resolve } })
    onTestFinished(() => upstream.close())
    const fault = await new Promise<TransportFault>((onFault, reject) => {
      const onAnswer = () => reject(new Error('there was an answer'))
      upstream.call(
        {
          method: 'GET',
          origin: 'http://provider.test',
          pathAndQuery: '/',
          headers: {},
          body: emptyBody,
          connectTimeoutMs: 2_000,
          allowPrivate: false,
        },
        { onHead: onAnswer, onData: onAnswer, onEnd: onAnswer, onFault },
      )
    })
    expect(fault).toMatchObject({ kind: 'name-unknown', onReusedConnection: false })
  },
)

const whole = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const halfHead = 'HTTP/1.1 200 OK\r\ncontent-'

it.each<[string, answers: readonly string[], isReused: boolean]>([
  ['in the head of the first answer', [halfHead], false],
  ['in the head of a later answer', [whole, halfHead], false],
  ['before any byte of the first answer', [''], false],
  ['before any byte of a later answer', [whole, ''], true],
])('a connection that closes %s is judged by the bytes of that answer', async (_name, answers, isReused) => {
  const sockets: Socket[] = []
  let calls = 0
  const server = createTcpServer((socket) => {
    sockets.push(socket)
    socket.on('data', () => {
      const answer = answers[calls] ?? ''
      calls += 1
      if (answer === whole) socket.write(answer)
      else socket.end(answer)
    })
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const upstream = openUpstream()
  onTestFinished(() => upstream.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const call = () =>
    new Promise<TransportFault | undefined>((resolve) => {
      upstream.call(
        {
          method: 'POST',
          pathAndQuery: '/',
          origin,
          allowPrivate: true,
          connectTimeoutMs: 5_000,
          headers: { 'content-length': '2' },
          body: jsonBody({}),
        },
        {
          onHead: () => undefined,
          onData: () => undefined,
          onEnd: () => resolve(undefined),
          onFault: resolve,
        },
      )
    })
  let fault: TransportFault | undefined
  for (const _answer of answers) {
    fault = await call()
    // The pool offers a connection again in the turn after its answer.
    await nextTurn()
  }
  expect(fault).toMatchObject({ kind: 'reset', onReusedConnection: isReused })
  expect(sockets.length).toBe(1)
})
