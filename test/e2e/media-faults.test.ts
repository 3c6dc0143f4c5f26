import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { openMediaGateway } from '../support/media/open-media-gateway.ts'
import { createWav } from '../support/media/sound.ts'
import {
  htmlAnswer,
  jsonAnswer,
  openScriptedUpstream,
  type ScriptedAnswer,
  sseAnswer,
} from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const within = { timeout: 10_000 }
const image = { data: [{ b64_json: 'AAAA' }], usage: { input_tokens: 1, output_tokens: 1 } }

function formOf(file: string, more: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  form.set(file, new Blob([new Uint8Array(createWav(1))], { type: 'audio/wav' }), 'a.wav')
  for (const [name, value] of Object.entries(more)) form.set(name, value)
  return form
}

interface Operation {
  /** The provider, where it is not any server of OpenAI's form. */
  readonly provider?: string
  readonly path: string
  readonly body: (model: string) => object | FormData
  readonly good: ScriptedAnswer
}

const operations: Readonly<Record<string, Operation>> = {
  'images from words': {
    path: '/v1/images/generations',
    body: (model) => ({ model, prompt: 'x' }),
    good: jsonAnswer(image),
  },
  'a stream of images': {
    path: '/v1/images/generations',
    body: (model) => ({ model, prompt: 'x', stream: true }),
    good: sseAnswer(['data: {"type":"image_generation.completed","b64_json":"AAAA"}\n\n']),
  },
  'images from images': {
    path: '/v1/images/edits',
    body: (model) => formOf('image', { model, prompt: 'x' }),
    good: jsonAnswer(image),
  },
  'a transcript': {
    path: '/v1/audio/transcriptions',
    body: (model) => formOf('file', { model }),
    good: jsonAnswer({ text: 'x' }),
  },
  'a translation': {
    path: '/v1/audio/translations',
    body: (model) => formOf('file', { model }),
    good: jsonAnswer({ text: 'x' }),
  },
  speech: {
    path: '/v1/audio/speech',
    body: (model) => ({ model, input: 'x', voice: 'v' }),
    good: { headers: { 'content-type': 'audio/mpeg' }, chunks: ['sound'] },
  },
  'a ranking by Voyage': {
    provider: 'voyage',
    path: '/v1/rerank',
    body: (model) => ({ model, query: 'x', documents: ['a'] }),
    good: jsonAnswer({ data: [{ index: 0, relevance_score: 0.5 }], usage: { total_tokens: 3 } }),
  },
  'a ranking by Jina': {
    provider: 'jina',
    path: '/v1/rerank',
    body: (model) => ({ model, query: 'x', documents: ['a'], return_documents: true }),
    good: jsonAnswer({ results: [{ index: 0, relevance_score: 0.5 }], usage: { total_tokens: 3 } }),
  },
  'a moderation': {
    provider: 'openai',
    path: '/v1/moderations',
    body: (model) => ({ model, input: 'x' }),
    good: jsonAnswer({ id: 'm', model: 'x', results: [{ flagged: false }] }),
  },
}

/** Faults before anything of an answer, with the status of a request that no other channel can take. */
const faults: Readonly<Record<string, readonly [ScriptedAnswer, number]>> = {
  'a reset': [{ ending: 'reset' }, 502],
  'a rate limit': [{ status: 429 }, 429],
  'a server error': [{ status: 500 }, 502],
  'a web page': [htmlAnswer(200), 502],
  'another type': [{ headers: { 'content-type': 'video/mp4' }, chunks: ['x'] }, 502],
  'an answer that is empty': [{ headers: { 'content-type': 'application/json' }, chunks: [] }, 502],
  'an answer that breaks off': [
    { headers: { 'content-type': 'application/json' }, chunks: ['{"da'], ending: 'reset' },
    502,
  ],
  'an error under status 200': [jsonAnswer({ error: { message: 'no', type: 'server_error' } }), 502],
}

const cases = Object.keys(operations).flatMap((name) =>
  Object.keys(faults).map((fault) => [name, fault] as const),
)

function find(name: string, fault: string) {
  const operation = operations[name]
  const known = faults[fault]
  if (operation === undefined || known === undefined) throw new Error('no such case')
  const [script, status] = known
  return {
    ...operation,
    script,
    status,
    index: cases.findIndex((each) => each.join() === [name, fault].join()),
  }
}

/** One gateway with channels of their own for each case, since a fault takes its channel out of rotation. */
async function openFaults() {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(
    await openScriptedUpstream(({ path }) => {
      const [, at, index] = /^\/(f|good)(\d+)\//.exec(path) ?? []
      const [name, fault] = cases[Number(index)] ?? []
      if (name === undefined || fault === undefined) return { status: 404 }
      const { script, good } = find(name, fault)
      return at === 'f' ? script : good
    }),
  )
  const channel = (index: number, name: string, more: string) => {
    const [operation = ''] = cases[index] ?? []
    const { provider = 'openai-compatible' } = operations[operation] ?? {}
    const at = name === 'good' ? `good${index}` : `f${index}`
    return `  - { name: ${name}${index}, provider: ${provider}, base_url: "${upstream.origin}/${at}", api_key: sk-upstream-0123456789, allow_private: true, ${more} }`
  }
  const channels = cases.flatMap((_, index) => [
    channel(index, 'alone', `models: { alone${index}: x }`),
    channel(index, 'first', `priority: 2, models: { moves${index}: x }`),
    channel(index, 'good', `priority: 1, models: { moves${index}: x }`),
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

  it.each(cases)('of %s: after %s the next channel answers', async (name, fault) => {
    const { path, body, index } = find(name, fault)
    const answer = await scene.post(path, body(`moves${index}`))
    await answer.arrayBuffer()
    expect([answer.status, answer.headers.get('x-headgate-channel')]).toEqual([200, `good${index}`])
    // A reset on a connection that was used before is tried once more.
    expect(Number(answer.headers.get('x-headgate-attempts'))).toBeGreaterThan(1)
  })

  it.each(cases)('of %s: without another channel %s is an error', async (name, fault) => {
    const { path, body, status, index } = find(name, fault)
    const answer = await scene.post(path, body(`alone${index}`))
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json'])
    expect(await answer.json()).toMatchObject({
      error: { message: expect.any(String), code: expect.anything() },
    })
  })
})

test('a provider that says nothing is given up in time', async () => {
  await using open = await openMediaGateway([
    {
      provider: 'openai-compatible',
      upstreamModel: 'x',
      script: { ending: 'silence' },
      settings: 'api_key: sk-upstream-0123456789, timeouts: { headers: 300ms, total: 1s }',
    },
  ])
  const answer = await open.post('/v1/audio/speech', { model: 'm', input: 'x', voice: 'v' })
  expect(answer.status).toBe(504)
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

test('a caller who leaves in the middle of an upload leaves nothing behind', async () => {
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

test('a caller who leaves in the middle of speech ends the call', async () => {
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

describe('a form is refused', () => {
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
