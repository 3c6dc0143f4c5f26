import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { openGateway } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'
import { BODIES, needsOneProcess } from '../support/topology/needs.ts'
import { chatBody, chunk, framed, raw } from './raw-http/raw-case.ts'
import { readAnswers } from './raw-http/read-answers.ts'
import { talk } from './raw-http/talk.ts'

const otherKey = 'sk-test-other-0123456789'
const KILOBYTE = 1024
/** Two such bodies of one key leave no room for a third. */
const LARGE_BYTES = 400 * KILOBYTE

const answer = jsonAnswer({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})

function open(script: Parameters<typeof openGateway>[0]['scripts'][number] = answer) {
  return openGateway({
    scripts: [script],
    more: `limits: { body: 1000KB, held_bodies: 2000KB }
keys: [{ name: a, secret: ${testKey}, models: ["*"] }, { name: b, secret: ${otherKey}, models: ["*"] }]
`,
  })
}

const large = chatBody('x'.repeat(LARGE_BYTES))
const closing = ['connection: close']

function ask(port: number, bytes: string) {
  return talk(port, bytes).then(({ text }) => readAnswers(text)[0])
}

/** A request whose body is announced and asked for, and does not come. */
async function openUnfinished(port: number, key = testKey): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.write(
    raw({
      without: ['authorization'],
      headers: [`authorization: Bearer ${key}`, `content-length: ${large.length}`, 'expect: 100-continue'],
    }),
  )
  expect(String((await once(socket, 'data'))[0])).toContain('100 Continue')
  return socket
}

it('a body that exceeds the remaining memory of its key is refused, before any of it is sent', async () => {
  needsOneProcess(BODIES)
  await using gateway = await open()
  const { port } = gateway.gateway
  const held = [await openUnfinished(port), await openUnfinished(port)]
  const refused = await ask(port, raw({ headers: [`content-length: ${large.length}`] }))
  expect(refused?.status).toBe(503)
  expect(refused?.headers).toMatchObject({ 'retry-after': '1', connection: 'close' })
  expect(refused?.body).toContain('"code":"bodies_over_capacity"')
  expect(refused?.body).toContain('this API key')
  for (const socket of held) socket.destroy()
})

it('the refusal has the format of the path', async () => {
  needsOneProcess(BODIES)
  await using gateway = await open()
  const { port } = gateway.gateway
  const held = [await openUnfinished(port), await openUnfinished(port)]
  const refused = await ask(
    port,
    raw({ line: 'POST /v1/messages HTTP/1.1', headers: [`content-length: ${large.length}`] }),
  )
  expect(refused?.status).toBe(529)
  expect(refused?.body).toContain('"type":"overloaded_error"')
  for (const socket of held) socket.destroy()
})

it('a body in chunks is refused once no memory remains for more of it', async () => {
  needsOneProcess(BODIES)
  await using gateway = await open()
  const { port } = gateway.gateway
  const held = [await openUnfinished(port), await openUnfinished(port)]
  const refused = await ask(
    port,
    framed(['transfer-encoding: chunked'], chunk(chatBody('x'.repeat(100 * KILOBYTE)))),
  )
  expect(refused?.body).toContain('"code":"bodies_over_capacity"')
  for (const socket of held) socket.destroy()
})

it('small bodies and bodies of other keys are still accepted', async () => {
  await using gateway = await open()
  const { port } = gateway.gateway
  const held = [await openUnfinished(port), await openUnfinished(port)]
  expect((await ask(port, raw({ headers: closing, body: chatBody() })))?.status).toBe(200)
  const ofOther = {
    without: ['authorization'],
    headers: [`authorization: Bearer ${otherKey}`, ...closing],
  } as const
  expect((await ask(port, raw({ ...ofOther, body: large })))?.status).toBe(200)
  for (const socket of held) socket.destroy()
})

it('a body is accepted again after the end of one of those that used up the memory of all keys', async () => {
  await using gateway = await open()
  const { port } = gateway.gateway
  const keys = [testKey, testKey, otherKey, otherKey]
  const held = await Promise.all(keys.map((key) => openUnfinished(port, key)))
  held[0]?.destroy()
  await expect.poll(() => ask(port, raw({ headers: closing, body: large }))).toMatchObject({ status: 200 })
  for (const socket of held) socket.destroy()
})

it('a body of the maximum size is accepted if no other request is in progress', async () => {
  await using gateway = await open()
  const { port } = gateway.gateway
  const body = chatBody('x'.repeat(1000 * KILOBYTE - chatBody('').length))
  expect((await ask(port, raw({ headers: closing, body })))?.status).toBe(200)
})

const ends = [
  ['was answered', raw({ headers: closing, body: large }), 200],
  ['came in chunks', framed(['transfer-encoding: chunked', ...closing], `${chunk(large)}0\r\n\r\n`), 200],
  ['is for a model that there is not', raw({ headers: closing, body: large.replace('"m"', '"n"') }), 404],
  ['is no JSON', raw({ headers: closing, body: large.slice(1) }), 400],
  ['was too large', framed(['transfer-encoding: chunked'], chunk('x'.repeat(1001 * KILOBYTE))), 413],
  [
    'was of no operation',
    raw({ headers: closing, body: large, line: 'POST /v1beta/models/m:none HTTP/1.1' }),
    404,
  ],
] as const

it.each(ends)('the memory is released after a request that %s', async (_end, bytes, status) => {
  await using gateway = await open()
  const { port } = gateway.gateway
  for (let count = 0; count < 4; count += 1) expect((await ask(port, bytes))?.status).toBe(status)
})

it('the memory is released after a caller disconnects in the middle of its body', async () => {
  await using gateway = await open()
  const { port } = gateway.gateway
  const held = [await openUnfinished(port), await openUnfinished(port)]
  for (const socket of held) socket.destroy()
  await expect.poll(() => ask(port, raw({ headers: closing, body: large }))).toMatchObject({ status: 200 })
})

it('the memory is released after callers disconnect before their answers', async () => {
  needsOneProcess(BODIES)
  await using gateway = await open((_request, index) => (index < 2 ? { ending: 'silence' } : answer))
  const { port } = gateway.gateway
  // The second waits for the answer of the first, on the same connection.
  const socket = connect({ port, host: '127.0.0.1' })
  socket.write(raw({ body: large }) + raw({ body: large }))
  await gateway.upstreams[0]?.request(1)
  expect((await ask(port, raw({ headers: closing, body: large })))?.status).toBe(503)
  socket.destroy()
  await expect.poll(() => ask(port, raw({ headers: closing, body: large }))).toMatchObject({ status: 200 })
})
