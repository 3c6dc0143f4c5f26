import { describe, expect, it } from 'vitest'
import { captureListSchema, captureViewSchema } from '../../src/admin/captures/capture-contract.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { fieldsOf } from '../support/judged.ts'
import { type MediaChannel, openMediaGateway } from '../support/media/open-media-gateway.ts'
import { jsonAnswer, type ScriptedAnswer, sseAnswer } from '../support/scripted-upstream.ts'

/** Rows are written a little after their answers. */
const within = { timeout: 30_000 }
const asked = { model: 'm', input: 'Hello there.', voice: 'alloy' }
const tts = { provider: 'openai', upstreamModel: 'tts-1' }
const sound = [Buffer.from('first'), Buffer.from([0, 255, 13, 10])]
const mp3: ScriptedAnswer = { headers: { 'content-type': 'audio/mpeg' }, chunks: sound }

describe('audio.speech of the openai SDK', () => {
  it('gets the streamed bytes, each chunk as it arrives', async () => {
    const goOn = Promise.withResolvers<void>()
    const script = { headers: { 'content-type': 'audio/mpeg' }, chunks: ['one', goOn.promise, 'two'] }
    await using open = await openMediaGateway([{ ...tts, script }])
    const response = await open.client.audio.speech.create(asked)
    expect(response.headers.get('content-type')).toBe('audio/mpeg')
    const heard: string[] = []
    for await (const chunk of response.body ?? []) {
      heard.push(Buffer.from(chunk).toString())
      // The second chunk is not sent before the first one was read.
      goOn.resolve()
    }
    expect(heard.join('')).toBe('onetwo')
    expect(JSON.parse(open.sent().body.toString())).toEqual({ ...asked, model: 'tts-1' })
  })

  it('gets the events of the API, with usage', async () => {
    const delta = { type: 'speech.audio.delta', audio: 'AAAA' }
    const done = {
      type: 'speech.audio.done',
      usage: { input_tokens: 14, output_tokens: 100, total_tokens: 114 },
    }
    const script = sseAnswer([delta, done].map((event) => `data: ${JSON.stringify(event)}\n\n`))
    await using open = await openMediaGateway([
      { provider: 'openai', upstreamModel: 'gpt-4o-mini-tts', script },
    ])
    const response = await open.client.audio.speech.create({ ...asked, stream_format: 'sse' })
    expect(await response.text()).toContain(JSON.stringify(done))
    await expect
      .poll(async () => (await open.lastRow())?.usage, within)
      .toMatchObject({ output_audio_tokens: 100, estimated: false })
  })

  it('pauses the provider while the caller does not read', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 7)
    const chunks = Array.from({ length: 64 }, () => chunk)
    await using open = await openMediaGateway([
      { ...tts, script: { headers: { 'content-type': 'audio/mpeg' }, chunks } },
    ])
    const response = await open.client.audio.speech.create(asked)
    const reader = response.body?.getReader()
    await reader?.read()
    let takenBefore = 0
    const isPaused = () => {
      const { bytesWritten, writableLength } = open.sent().socket
      const taken = bytesWritten - writableLength
      const isStill = taken > 0 && taken === takenBefore
      takenBefore = taken
      return isStill && taken < (chunks.length * chunk.length) / 2
    }
    await expect.poll(isPaused, { ...within, interval: 500 }).toBe(true)
    let bytes = 0
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read())
      bytes += read.value.length
    expect(bytes).toBeGreaterThan(60 * chunk.length)
  })

  it('gets a truncated answer if the provider truncates it, and nothing but audio', async () => {
    const script = { ...mp3, ending: 'reset' } as const
    await using open = await openMediaGateway([{ ...tts, script }])
    const response = await open.client.audio.speech.create(asked)
    await expect(response.arrayBuffer()).rejects.toThrow()
  })

  it('moves to the next channel before the first byte', async () => {
    await using open = await openMediaGateway([
      { ...tts, script: { status: 500 } },
      { provider: 'groq', upstreamModel: 'playai-tts', script: mp3 },
    ])
    const response = await open.client.audio.speech.create(asked)
    expect([response.headers.get('x-headgate-channel'), (await response.arrayBuffer()).byteLength]).toEqual([
      'c1',
      9,
    ])
  })
})

const pcm = Buffer.from([1, 0, 2, 0])
const geminiReply = {
  candidates: [
    {
      content: {
        parts: [{ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: pcm.toString('base64') } }],
      },
    },
  ],
  usageMetadata: {
    promptTokenCount: 5,
    candidatesTokenCount: 40,
    totalTokenCount: 45,
    candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 40 }],
  },
}

const gemini: MediaChannel = {
  provider: 'gemini',
  upstreamModel: 'gemini-3.8-flash-tts',
  path: '/v1beta',
  script: jsonAnswer(geminiReply),
}

describe('providers with their own API speak:', () => {
  it('gemini, as WAV or as samples', async () => {
    await using open = await openMediaGateway([gemini])
    const response = await open.client.audio.speech.create({
      ...asked,
      response_format: 'wav',
      voice: 'Kore',
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    expect([bytes.toString('latin1', 0, 4), bytes.subarray(44)]).toEqual(['RIFF', pcm])
    expect(response.headers.get('content-type')).toBe('audio/wav')
    expect(JSON.parse(open.sent().body.toString()).generationConfig).toEqual({
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    })
    const samples = await open.client.audio.speech.create({ ...asked, response_format: 'pcm' })
    expect(Buffer.from(await samples.arrayBuffer())).toEqual(pcm)
    const asking = open.client.audio.speech.create({ ...asked, response_format: 'mp3' })
    await expect(asking).rejects.toMatchObject({ status: 400, param: 'response_format' })
  })

  it('gemini, whose audio is refused if the model did not finish it', async () => {
    const [candidate] = geminiReply.candidates
    const script = jsonAnswer({ candidates: [{ ...candidate, finishReason: 'MAX_TOKENS' }] })
    await using open = await openMediaGateway([{ ...gemini, script }])
    const answer = await open.post('/v1/audio/speech', { ...asked, response_format: 'wav' })
    expect(answer.status).toBe(502)
  })

  it('deepgram, with the voice in the name of its model', async () => {
    await using open = await openMediaGateway([
      { provider: 'deepgram', upstreamModel: 'aura-2', script: mp3 },
    ])
    await (
      await open.client.audio.speech.create({ ...asked, voice: 'thalia', response_format: 'wav' })
    ).arrayBuffer()
    expect(open.sent().path).toBe('/v1/speak?model=aura-2-thalia-en&encoding=linear16&container=wav')
    expect(JSON.parse(open.sent().body.toString())).toEqual({ text: asked.input })
  })

  it('elevenlabs, with the voice in its path', async () => {
    await using open = await openMediaGateway([
      { provider: 'elevenlabs', upstreamModel: 'eleven_v3', script: mp3 },
    ])
    await (await open.client.audio.speech.create({ ...asked, voice: '../x', speed: 1.1 })).arrayBuffer()
    expect(open.sent().path).toBe('/v1/text-to-speech/..%2Fx/stream?output_format=mp3_44100_128')
    expect(JSON.parse(open.sent().body.toString())).toEqual({
      text: asked.input,
      model_id: 'eleven_v3',
      voice_settings: { speed: 1.1 },
    })
  })

  it('mistral, whose audio arrives inside JSON', async () => {
    const script = jsonAnswer({ audio_data: Buffer.from('sound').toString('base64') })
    await using open = await openMediaGateway([
      { provider: 'mistral', upstreamModel: 'voxtral-mini-tts-3-0', script },
    ])
    const response = await open.client.audio.speech.create(asked)
    expect([response.headers.get('content-type'), await response.text()]).toEqual(['audio/mpeg', 'sound'])
  })

  it('mistral, whose samples of 32-bit floats become the 16-bit samples of the API', async () => {
    const values = [0, 0.5, -1, 1.5, -2]
    const floats = Buffer.alloc(values.length * 4)
    for (const [index, value] of values.entries()) floats.writeFloatLE(value, index * 4)
    const script = jsonAnswer({ audio_data: floats.toString('base64') })
    await using open = await openMediaGateway([
      { provider: 'mistral', upstreamModel: 'voxtral-mini-tts-3-0', script },
    ])
    const response = await open.client.audio.speech.create({ ...asked, response_format: 'pcm' })
    const bytes = Buffer.from(await response.arrayBuffer())
    const samples = Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readInt16LE(index * 2))
    expect(samples).toEqual([0, 16_384, -32_767, 32_767, -32_767])
  })

  it('as events if the caller requests them, though the provider sends bytes', async () => {
    await using open = await openMediaGateway([
      { provider: 'deepgram', upstreamModel: 'aura-2', script: mp3 },
    ])
    const text = await (await open.client.audio.speech.create({ ...asked, stream_format: 'sse' })).text()
    const events = text.split('\n\n').flatMap((event) => /data: (.*)$/m.exec(event)?.[1] ?? [])
    const parsed = events.map((data) => fieldsOf(JSON.parse(data)))
    expect(parsed.at(-1)).toMatchObject({ type: 'speech.audio.done' })
    const heard = parsed.slice(0, -1).map(({ audio }) => Buffer.from(String(audio), 'base64'))
    expect(Buffer.concat(heard)).toEqual(Buffer.concat(sound))
  })
})

describe('speech costs', () => {
  it.each<[string, MediaChannel, object, number]>([
    ['its characters', { ...tts, script: mp3 }, {}, (12 * 15) / 1e6],
    ['characters, not bytes', { ...tts, script: mp3 }, { input: '你好👋' }, (3 * 15) / 1e6],
    [
      'the characters of another provider',
      { provider: 'deepgram', upstreamModel: 'aura-2-thalia-en', script: mp3 },
      {},
      (12 * 30) / 1e6,
    ],
    ['the tokens that are stated', gemini, { response_format: 'pcm' }, (5 * 0.5 + 40 * 9) / 1e6],
  ])('%s', async (_what, channel, more, dollars) => {
    await using open = await openMediaGateway([channel])
    await (await open.client.audio.speech.create({ ...asked, ...more })).arrayBuffer()
    await expect.poll(async () => (await open.charged()).count, within).toBe(1)
    expect((await open.charged()).dollars).toBeCloseTo(dollars, 9)
  })

  it('an estimate of its tokens if bytes arrive and tokens are billed', async () => {
    await using open = await openMediaGateway([
      { provider: 'openai', upstreamModel: 'gpt-4o-mini-tts', script: mp3 },
    ])
    await (await open.client.audio.speech.create(asked)).arrayBuffer()
    await expect.poll(async () => (await open.lastRow())?.state, within).toBe('estimated')
    expect((await open.charged()).dollars).toBeGreaterThan(0)
  })

  it('never more than an exact key has, for any number of concurrent requests', async () => {
    const secret = 'sk-budget-0123456789abcdef'
    await using open = await openMediaGateway(
      [{ ...tts, script: mp3 }],
      `keys: [{ name: k, secret: ${secret}, models: ["*"], budgets: [{ limit_usd: 1, window: month, mode: exact }] }]\n`,
      secret,
    )
    // Four thousand characters are six cents: sixteen fit into a dollar.
    const body = { ...asked, input: 'a'.repeat(4_000) }
    const statuses = await Promise.all(
      Array.from({ length: 24 }, async () => {
        const answer = await open.post('/v1/audio/speech', body)
        await answer.arrayBuffer()
        return answer.status
      }),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(16)
    await expect.poll(async () => (await open.charged()).count, within).toBe(16)
    expect((await open.charged()).dollars).toBeCloseTo(0.96, 9)
  })
})

describe('a request for speech is refused', () => {
  it.each([
    [{ model: 'm', voice: 'alloy' }, 'missing_field', 'input'],
    [{ model: 'm', input: 'x' }, 'missing_field', 'voice'],
    [{ ...asked, voice: 7 }, 'invalid_field', 'voice'],
    [{ ...asked, response_format: 'aac' }, 'cannot_be_carried', 'response_format'],
  ])('%j: %s', async (body, code, param) => {
    await using open = await openMediaGateway([gemini])
    const answer = await open.post('/v1/audio/speech', body)
    expect([answer.status, fieldsOf(fieldsOf(await answer.json())['error'])]).toMatchObject([
      400,
      { code, param },
    ])
  })

  it('if the provider answers with JSON', async () => {
    await using open = await openMediaGateway([{ ...tts, script: jsonAnswer({ ok: true }) }])
    expect((await open.post('/v1/audio/speech', asked)).status).toBe(502)
  })
})

it('speech is not captured, but its text is', async () => {
  await using open = await openMediaGateway([{ ...tts, script: mp3 }], 'capture: { bodies: both }\n')
  await (await open.client.audio.speech.create(asked)).arrayBuffer()
  const askAdmin = createAskAdmin(open.gateway.url)
  const list = async () => captureListSchema.parse((await askAdmin('GET', '/captures')).body).data
  await expect.poll(async () => (await list()).length, within).toBe(1)
  const [capture] = await list()
  const view = captureViewSchema.parse((await askAdmin('GET', `/captures/${capture?.request_id}`)).body)
  expect(JSON.stringify(view)).toContain(asked.input)
  expect(JSON.stringify(view)).not.toContain('first')
})
