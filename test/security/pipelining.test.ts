import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { openGateway } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { until, untilSteady } from '../support/until.ts'
import { chatBody, chunk, raw } from './raw-http/raw-case.ts'
import { readAnswers } from './raw-http/read-answers.ts'

const MAX_IN_FLIGHT = 16
const REQUESTS = 60

/** A gateway before an upstream that gives each request's number back, once it may. */
async function openHeldGateway() {
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
  const open = await openGateway({
    scripts: [
      async ({ body }) => {
        await mayAnswer
        const content = /MARKER-\d+/.exec(body.toString('utf8'))?.[0] ?? ''
        return jsonAnswer({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        })
      },
    ],
  })
  const exchange = async () => (await fetch(`${open.gateway.url}/healthz`)).text()
  return { open, letAnswer, exchange }
}

function markedRequests(
  write: (body: string, headers: readonly string[]) => string,
  padding: number,
): string {
  return Array.from({ length: REQUESTS }, (_, index) => {
    const isLast = index === REQUESTS - 1
    return write(chatBody(`MARKER-${index} ${'x'.repeat(padding)}`), isLast ? ['connection: close'] : [])
  }).join('')
}

const whole = (body: string, headers: readonly string[]) => raw({ headers, body })
const inChunks = (body: string, headers: readonly string[]) =>
  raw({
    headers: ['transfer-encoding: chunked', ...headers],
    without: ['content-length'],
    body: `${chunk(body)}0\r\n\r\n`,
  })

it.each([
  ['small', markedRequests(whole, 0)],
  ['small, in chunks', markedRequests(inChunks, 0)],
  ['large', markedRequests(whole, 200_000)],
])(
  'the gateway processes 16 requests of a connection concurrently, and answers all in order, if they are %s',
  async (_size, bytes) => {
    const { open, letAnswer, exchange } = await openHeldGateway()
    await using _open = open
    const socket = connect({ port: open.gateway.port, host: '127.0.0.1' })
    const parts: Buffer[] = []
    socket.on('data', (part: Buffer) => parts.push(part))
    socket.write(bytes)
    const asked = () => open.upstreams[0]?.requests.length ?? 0
    await until('requests came', () => asked() >= MAX_IN_FLIGHT)
    expect(await untilSteady('requests in progress', asked, exchange)).toBe(MAX_IN_FLIGHT)
    letAnswer()
    await new Promise((closed) => socket.on('close', closed))
    const answers = readAnswers(Buffer.concat(parts).toString('latin1'))
    expect(answers.map(({ body }) => /MARKER-\d+/.exec(body)?.[0])).toEqual(
      Array.from({ length: REQUESTS }, (_, index) => `MARKER-${index}`),
    )
  },
)

it.each([
  ['large', 300_000, 1_500],
  ['small', 0, 500_000],
])(
  'the gateway stops reading a connection while it has waiting requests that are %s',
  async (_size, padding, limit) => {
    const { open, letAnswer, exchange } = await openHeldGateway()
    await using _open = open
    const socket = connect({ port: open.gateway.port, host: '127.0.0.1' })
    socket.on('error', () => undefined)
    const request = raw({ body: chatBody('x'.repeat(padding)) })
    let sent = 0
    const send = () => {
      while (sent < limit) {
        sent += 1
        if (!socket.write(request)) break
      }
    }
    socket.on('drain', send)
    send()
    await until('requests came', () => (open.upstreams[0]?.requests.length ?? 0) >= MAX_IN_FLIGHT)
    expect(await untilSteady('what was taken', () => sent, exchange)).toBeLessThan(limit)
    socket.destroy()
    letAnswer()
  },
)

it('the gateway starts none of the waiting requests of a connection that its caller closed', async () => {
  const { open, letAnswer, exchange } = await openHeldGateway()
  await using _open = open
  const socket = connect({ port: open.gateway.port, host: '127.0.0.1' })
  socket.write(markedRequests(whole, 0))
  const requests = () => open.upstreams[0]?.requests ?? []
  await until('requests came', () => requests().length >= MAX_IN_FLIGHT)
  socket.resetAndDestroy()
  letAnswer()
  await Promise.all(requests().map(({ closed }) => closed))
  expect(await untilSteady('requests', () => requests().length, exchange)).toBe(MAX_IN_FLIGHT)
})
