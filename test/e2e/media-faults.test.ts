import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import {
  channelOf,
  type MediaFault,
  type MediaOperation,
  mediaFaults,
  mediaOperations,
} from '../support/faults/media-operations.ts'
import { openMediaGateway } from '../support/media/open-media-gateway.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type ScriptedAnswer,
  sseAnswer,
} from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const within = { timeout: 30_000 }

interface FaultCase {
  readonly name: string
  readonly operation: MediaOperation
  readonly fault: MediaFault
  readonly script: ScriptedAnswer
}

const cases = Object.entries(mediaOperations).flatMap(([name, operation]) =>
  mediaFaults.map((fault): FaultCase => ({ name, operation, fault, script: fault.answer(operation) })),
)
const rows = cases.map((one, index) => [one.name, one.fault.name, one, index] as const)

/** One gateway with channels of their own for each case, since a fault takes its channel out of rotation. */
async function openFaults() {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(
    await openScriptedUpstream(({ path }) => {
      const [, at, index] = /^\/(f|good)(\d+)\//.exec(path) ?? []
      const one = cases[Number(index)]
      if (one === undefined) return { status: 404 }
      return at === 'f' ? one.script : one.operation.good
    }),
  )
  const channel = ({ operation, fault }: FaultCase, at: string, name: string, more: string) => {
    const { provider, upstreamModel, credentials } = channelOf(operation)
    // What a timer finds is found soon.
    const timeouts = fault.isTimed && at.startsWith('f') ? 'timeouts: { total: 700ms }, ' : ''
    return `  - { name: ${name}, provider: ${provider}, base_url: "${upstream.origin}/${at}", ${credentials}, allow_private: true, ${timeouts}${more}: "${upstreamModel}" } }`
  }
  const channels = cases.flatMap((one, index) => [
    channel(one, `f${index}`, `alone${index}`, `models: { alone${index}`),
    channel(one, `f${index}`, `first${index}`, `priority: 2, models: { moves${index}`),
    channel(one, `good${index}`, `good${index}`, `priority: 1, models: { moves${index}`),
  ])
  const gateway = cleanup.use(
    await startGateway(`channels:\n${channels.join('\n')}\nretry: { same_target: 0 }\n`),
  )
  const open = cleanup.move()
  return {
    post: (path: string, body: object | FormData) =>
      fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${testKey}`,
          ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        },
        body: body instanceof FormData ? body : JSON.stringify(body),
      }),
    close: () => open.disposeAsync(),
  }
}

describe('a fault of a provider', () => {
  let scene: Awaited<ReturnType<typeof openFaults>>

  beforeAll(async () => {
    scene = await openFaults()
  })

  afterAll(() => scene.close())

  async function expectNext({ operation }: FaultCase, index: number): Promise<void> {
    const answer = await scene.post(operation.path, operation.body(`moves${index}`))
    await answer.arrayBuffer()
    expect([answer.status, answer.headers.get('x-headgate-channel')]).toEqual([200, `good${index}`])
    // A reset on a connection that was used before is tried once more.
    expect(Number(answer.headers.get('x-headgate-attempts'))).toBeGreaterThan(1)
  }

  async function expectError({ operation, fault }: FaultCase, index: number): Promise<void> {
    const answer = await scene.post(operation.path, operation.body(`alone${index}`))
    const status = operation.isEstimated ? 200 : fault.status
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json'])
    const text = expect.any(String)
    const error = { error: { message: text, type: text, code: expect.anything() } }
    expect(await answer.json()).toMatchObject(operation.isEstimated ? {} : error)
    if (operation.isEstimated) expect(answer.headers.get('x-headgate-loss')).toContain('approximated')
  }

  const atOnce = rows.filter(([, , { fault }]) => fault.isTimed !== true)
  const timed = rows.filter(([, , { fault }]) => fault.isTimed === true)

  it.each(atOnce)('of %s: after %s the next channel answers', (_name, _fault, one, index) =>
    expectNext(one, index),
  )

  it.each(atOnce)('of %s: without another channel %s is an error', (_name, _fault, one, index) =>
    expectError(one, index),
  )

  it.concurrent.each(timed)('of %s: after %s the next channel answers in time', (_name, _fault, one, index) =>
    expectNext(one, index),
  )

  it.concurrent.each(timed)(
    'of %s: without another channel %s is an error in time',
    (_name, _fault, one, index) => expectError(one, index),
  )
})

test('a stream of images that breaks off ends in an error event', async () => {
  const script = sseAnswer(['data: {"type":"image_generation.partial_image","b64_json":"AAAA"}\n\n'], 'reset')
  await using open = await openMediaGateway([{ provider: 'openai', upstreamModel: 'gpt-image-2', script }])
  const answer = await open.post('/v1/images/generations', { model: 'm', prompt: 'x', stream: true })
  const reader = answer.body?.getReader()
  let text = ''
  await expect(
    (async () => {
      for (let read = await reader?.read(); read?.done === false; read = await reader?.read())
        text += Buffer.from(read.value).toString()
    })(),
  ).rejects.toThrow()
  expect(text).toContain('"error"')
})

test('a caller who disconnects in the middle of an upload leaves no trace', async () => {
  needsOneProcess('it looks at the open files of a process')
  await using open = await openMediaGateway(
    [{ provider: 'openai-compatible', upstreamModel: 'x', script: jsonAnswer({ text: 'x' }) }],
    'limits: { upload_memory: 1KB }\n',
  )
  const { port, hostname, host } = new URL(open.gateway.url)
  const socket = connect(Number(port), hostname)
  socket.write(
    [
      'POST /v1/audio/transcriptions HTTP/1.1',
      `host: ${host}`,
      `authorization: Bearer ${testKey}`,
      'content-type: multipart/form-data; boundary=b',
      'content-length: 1000000',
      '',
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n',
    ].join('\r\n'),
  )
  socket.write(Buffer.alloc(500_000, 1))
  // The file is open while its bytes come, and has no name.
  await expect.poll(() => open.openUploads().length, within).toBe(1)
  expect(readdirSync(join(open.gateway.dataFolder, 'uploads'))).toEqual([])
  socket.resetAndDestroy()
  await expect.poll(() => open.openUploads(), within).toEqual([])
  expect(open.requests()).toEqual([])
})

test('a caller who disconnects in the middle of speech ends the call', async () => {
  const script = { headers: { 'content-type': 'audio/mpeg' }, chunks: ['one'], ending: 'hang' } as const
  await using open = await openMediaGateway([{ provider: 'openai', upstreamModel: 'tts-1', script }])
  const leaving = new AbortController()
  const response = await open.client.audio.speech.create(
    { model: 'm', input: 'Hello there.', voice: 'alloy' },
    { signal: leaving.signal },
  )
  await response.body?.getReader().read()
  leaving.abort()
  await open.sent().closed
  expect(open.sent().abortedAtMs).toBeGreaterThan(0)
  // All of it was made, and is billed.
  await expect.poll(async () => (await open.charged()).dollars, within).toBeCloseTo(12 * 0.000015, 9)
})

describe('the gateway refuses a form', () => {
  it.each([
    ['that is cut', '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nm'],
    ['that is no form', 'nothing of the kind'],
    ['without a file', '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nm\r\n--b--\r\n'],
  ])('%s', async (_how, body) => {
    await using open = await openMediaGateway([
      { provider: 'openai-compatible', upstreamModel: 'x', script: jsonAnswer({ text: 'x' }) },
    ])
    const answer = await fetch(`${open.gateway.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'multipart/form-data; boundary=b' },
      body,
    })
    expect(answer.status).toBe(400)
    expect(open.requests()).toEqual([])
  })
})
