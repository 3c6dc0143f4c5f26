import { toFile } from 'openai'
import { describe, expect, it } from 'vitest'
import { fieldsOf } from '../support/judged.ts'
import { type MediaChannel, openMediaGateway } from '../support/media/open-media-gateway.ts'
import { readFormParts } from '../support/media/read-form-parts.ts'
import { createWav } from '../support/media/sound.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'

/** Rows are written a little after their answers. */
const within = { timeout: 30_000 }
const wav = createWav(3)
const upload = () => toFile(wav, 'speech.wav', { type: 'audio/wav' })

const tokens = {
  type: 'tokens',
  input_tokens: 60,
  input_token_details: { audio_tokens: 50, text_tokens: 10 },
  output_tokens: 9,
  total_tokens: 69,
}
const words = [
  { word: 'Hello', start: 0, end: 0.5 },
  { word: 'there.', start: 0.5, end: 1.25 },
]
const verbose = {
  task: 'transcribe',
  language: 'english',
  duration: 2.5,
  text: 'Hello there.',
  segments: [{ id: 0, start: 0, end: 1.25, text: ' Hello there.' }],
  words,
}

const whisper = { provider: 'openai', upstreamModel: 'whisper-1' }
const openaiTokens = { provider: 'openai', upstreamModel: 'gpt-4o-transcribe' }

describe('audio.transcriptions of the openai SDK', () => {
  it('sends the file before the model is known, and gets JSON', async () => {
    const script = jsonAnswer({ text: 'Hello there.', usage: tokens })
    await using open = await openMediaGateway([{ ...openaiTokens, script }])
    const answer = await open.client.audio.transcriptions.create({
      file: await upload(),
      model: 'm',
      language: 'en',
      timestamp_granularities: ['word'],
    })
    expect(answer).toMatchObject({ text: 'Hello there.', usage: tokens })
    expect(open.sent().path).toBe('/audio/transcriptions')
    const parts = await readFormParts(open.sent())
    expect(parts.map(({ name }) => name)).toEqual(['model', 'file', 'language', 'timestamp_granularities[]'])
    expect([parts[1]?.bytes.equals(wav), parts[0]?.value]).toEqual([true, 'gpt-4o-transcribe'])
  })

  it.each([
    ['text', 'Hello there.\n'],
    ['srt', '1\n00:00:00,000 --> 00:00:01,250\nHello there.\n'],
    ['vtt', 'WEBVTT\n\n00:00.000 --> 00:01.250\nHello there.\n'],
  ] as const)('gets %s unchanged', async (form, text) => {
    const script = { headers: { 'content-type': 'text/plain' }, chunks: [text] }
    await using open = await openMediaGateway([{ ...whisper, script }])
    const file = await upload()
    const asked = { file, model: 'm', response_format: form }
    const { data, response } = await open.client.audio.transcriptions.create(asked).withResponse()
    expect([data, response.headers.get('content-type')]).toEqual([text, 'text/plain; charset=utf-8'])
  })

  it.each([
    ['text', 'an error', '{"error":{"message":"boom","type":"server_error"}}', 'upstream_error'],
    ['vtt', 'an error', '{"error":{"message":"boom","type":"server_error"}}', 'upstream_error'],
    ['srt', 'JSON', '{"text":"Hello there."}', 'upstream_bad_response'],
    ['srt', 'a text', 'Hello there.', 'upstream_bad_response'],
  ] as const)(
    'that asked for %s gets an error where the provider sends %s instead',
    async (form, _what, answer, code) => {
      const script = { headers: { 'content-type': 'text/plain' }, chunks: [answer] }
      await using open = await openMediaGateway([{ ...whisper, script }])
      const asking = open.client.audio.transcriptions.create({
        file: await upload(),
        model: 'm',
        response_format: form,
      })
      await expect(asking).rejects.toMatchObject({ status: 502, code })
      expect(await open.charged()).toMatchObject({ count: 0 })
    },
  )

  it('gets silence as an empty text', async () => {
    const script = { headers: { 'content-type': 'text/plain' }, chunks: ['\n'] }
    await using open = await openMediaGateway([{ ...whisper, script }])
    const file = await upload()
    expect(await open.client.audio.transcriptions.create({ file, model: 'm', response_format: 'text' })).toBe(
      '\n',
    )
  })

  it('gets the times of words in verbose JSON', async () => {
    await using open = await openMediaGateway([{ ...whisper, script: jsonAnswer(verbose) }])
    const answer = await open.client.audio.transcriptions.create({
      file: await upload(),
      model: 'm',
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    })
    expect(answer).toMatchObject(verbose)
  })

  it('streams', async () => {
    const goOn = Promise.withResolvers<void>()
    const delta = { type: 'transcript.text.delta', delta: 'Hello' }
    const done = { type: 'transcript.text.done', text: 'Hello there.', usage: tokens }
    const script = sseAnswer([
      `data: ${JSON.stringify(delta)}\n\n`,
      goOn.promise,
      `data: ${JSON.stringify(done)}\n\n`,
    ])
    await using open = await openMediaGateway([{ ...openaiTokens, script }])
    const file = await upload()
    const stream = await open.client.audio.transcriptions.create({ file, model: 'm', stream: true })
    const events = []
    for await (const event of stream) {
      events.push(event)
      goOn.resolve()
    }
    expect(events).toMatchObject([delta, done])
    await expect
      .poll(async () => (await open.lastRow())?.usage, within)
      .toMatchObject({ input_audio_tokens: 50, output_tokens: 9 })
  })
})

it('audio.translations is forwarded unchanged', async () => {
  await using open = await openMediaGateway([{ ...whisper, script: jsonAnswer({ text: 'Hello.' }) }])
  const file = await upload()
  expect(await open.client.audio.translations.create({ file, model: 'm' })).toMatchObject({ text: 'Hello.' })
  expect(open.sent().path).toBe('/audio/translations')
})

const deepgramReply = {
  metadata: { duration: 2.5 },
  results: {
    channels: [
      {
        detected_language: 'en',
        alternatives: [
          {
            transcript: 'Hello there.',
            words: words.map(({ word, ...times }) => ({
              word: word.toLowerCase(),
              punctuated_word: word,
              ...times,
            })),
          },
        ],
      },
    ],
    utterances: [{ start: 0, end: 1.25, transcript: 'Hello there.', speaker: 0 }],
  },
}

const elevenlabsReply = {
  language_code: 'eng',
  text: 'Hello there.',
  audio_duration_secs: 2.5,
  words: [
    { text: 'Hello', start: 0, end: 0.5, type: 'word', speaker_id: 'speaker_0' },
    { text: ' ', start: 0.5, end: 0.5, type: 'spacing' },
    { text: 'there.', start: 0.5, end: 1.25, type: 'word', speaker_id: 'speaker_0' },
  ],
}

const mistralReply = {
  model: 'voxtral-mini-latest',
  text: 'Hello there.',
  language: 'en',
  segments: [{ text: 'Hello there.', start: 0, end: 1.25 }],
  usage: { prompt_audio_seconds: 3, prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 },
}

const geminiReply = {
  candidates: [{ content: { parts: [{ text: 'Hello there.' }] }, finishReason: 'STOP' }],
  usageMetadata: {
    promptTokenCount: 100,
    candidatesTokenCount: 5,
    totalTokenCount: 105,
    promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 96 }],
  },
}

const others: Readonly<Record<string, MediaChannel>> = {
  deepgram: { provider: 'deepgram', upstreamModel: 'nova-3', script: jsonAnswer(deepgramReply) },
  elevenlabs: { provider: 'elevenlabs', upstreamModel: 'scribe_v2', script: jsonAnswer(elevenlabsReply) },
  mistral: { provider: 'mistral', upstreamModel: 'voxtral-mini-latest', script: jsonAnswer(mistralReply) },
  gemini: {
    provider: 'gemini',
    upstreamModel: 'gemini-3.5-transcribe',
    path: '/v1beta',
    script: jsonAnswer(geminiReply),
  },
}

function channelOf(name: string): MediaChannel {
  const channel = others[name]
  if (channel === undefined) throw new Error(`no channel ${name}`)
  return channel
}

describe('providers with their own API transcribe speech:', () => {
  it('deepgram gets the bytes of the file, and the rest in the query', async () => {
    await using open = await openMediaGateway([channelOf('deepgram')])
    const answer = await open.client.audio.transcriptions.create({
      file: await upload(),
      model: 'm',
      language: 'en',
    })
    expect(answer).toEqual({ text: 'Hello there.', usage: { type: 'duration', seconds: 3 } })
    const { path, headers, body } = open.sent()
    expect(path).toBe('/v1/listen?model=nova-3&smart_format=true&utterances=true&language=en')
    expect([headers['authorization'], headers['content-type']]).toEqual([
      'Token sk-upstream-0123456789',
      'audio/wav',
    ])
    expect(body.equals(wav)).toBe(true)
  })

  it('elevenlabs gets its own form', async () => {
    await using open = await openMediaGateway([channelOf('elevenlabs')])
    await open.client.audio.transcriptions.create({ file: await upload(), model: 'm' })
    expect([open.sent().path, open.sent().headers['xi-api-key']]).toEqual([
      '/v1/speech-to-text',
      'sk-upstream-0123456789',
    ])
    const parts = await readFormParts(open.sent())
    expect(parts.map(({ name, filename, value }) => [name, filename ?? value])).toEqual([
      ['model_id', 'scribe_v2'],
      ['timestamps_granularity', 'word'],
      ['tag_audio_events', 'false'],
      ['file', 'speech.wav'],
    ])
  })

  it('mistral gets its own form, without the fields that it refuses', async () => {
    await using open = await openMediaGateway([channelOf('mistral')])
    const file = await upload()
    await open.client.audio.transcriptions.create({ file, model: 'm', response_format: 'srt', prompt: 'x' })
    const parts = await readFormParts(open.sent())
    expect(parts.map(({ name, filename, value }) => [name, filename ?? value])).toEqual([
      ['model', 'voxtral-mini-latest'],
      ['timestamp_granularities', 'segment'],
      ['file', 'speech.wav'],
    ])
  })

  it('mistral tells speakers apart, by names of its own', async () => {
    const segment = (speaker_id: string, start: number) => ({
      text: 'Hi.',
      start,
      end: start + 1,
      speaker_id,
    })
    const segments = [segment('speaker_1', 0), segment('speaker_2', 1)]
    const script = jsonAnswer({ ...mistralReply, segments })
    await using open = await openMediaGateway([{ ...channelOf('mistral'), script }])
    const answer = await open.client.audio.transcriptions.create({
      file: await upload(),
      model: 'm',
      response_format: 'diarized_json',
    })
    expect(answer).toMatchObject({ segments: [{ speaker: 'speaker_1' }, { speaker: 'speaker_2' }] })
  })

  it('gemini gets the file as content, and no request for times', async () => {
    await using open = await openMediaGateway([channelOf('gemini')])
    const file = await upload()
    expect(await open.client.audio.transcriptions.create({ file, model: 'm' })).toMatchObject({
      text: 'Hello there.',
    })
    const [, sound] = JSON.parse(open.sent().body.toString()).contents[0].parts
    expect(sound).toEqual({ inlineData: { mimeType: 'audio/wav', data: wav.toString('base64') } })
    const asking = open.client.audio.transcriptions.create({ file, model: 'm', response_format: 'srt' })
    await expect(asking).rejects.toMatchObject({ status: 400, param: 'response_format' })
  })

  it.each([
    ['MAX_TOKENS', 502, 'upstream_error'],
    ['OTHER', 502, 'upstream_error'],
    ['SAFETY', 400, 'content_policy_violation'],
  ])(
    'an answer of gemini that ends with %s is a failure, not a transcript',
    async (finishReason, status, code) => {
      const script = jsonAnswer({ candidates: [{ content: { parts: [{ text: 'Hel' }] }, finishReason }] })
      await using open = await openMediaGateway([{ ...channelOf('gemini'), script }])
      const asking = open.client.audio.transcriptions.create({ file: await upload(), model: 'm' })
      await expect(asking).rejects.toMatchObject({ status, code })
    },
  )

  it('a recording that gemini blocks is a refusal, not an empty answer', async () => {
    const script = jsonAnswer({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } })
    await using open = await openMediaGateway([{ ...channelOf('gemini'), script }])
    const asking = open.client.audio.transcriptions.create({ file: await upload(), model: 'm' })
    await expect(asking).rejects.toMatchObject({ status: 400, code: 'content_policy_violation' })
  })

  it('groq gets a request for a whole answer if a stream is wanted', async () => {
    const script = jsonAnswer({ text: 'Hello there.' })
    await using open = await openMediaGateway([
      { provider: 'groq', upstreamModel: 'whisper-large-v3', script },
    ])
    const file = await upload()
    const stream = await open.client.audio.transcriptions.create({ file, model: 'm', stream: true })
    const events = []
    for await (const event of stream) events.push(event.type)
    expect(events).toEqual(['transcript.text.delta', 'transcript.text.done'])
    expect((await readFormParts(open.sent())).map(({ name }) => name)).toEqual(['model', 'file'])
  })
})

it.each([
  ['of the table', '', 0.11],
  [
    'of the operator',
    'models: { m: { price: { input: 0, output: 0, tool_calls: { audio_second: 1 } } } }\n',
    10,
  ],
])('groq bills a short recording for ten seconds, at a price %s', async (_, more, dollarsForAThousand) => {
  const script = jsonAnswer({ text: 'Hi.', duration: 1.25 })
  await using open = await openMediaGateway(
    [{ provider: 'groq', upstreamModel: 'whisper-large-v3-turbo', script }],
    more,
  )
  await open.client.audio.transcriptions.create({ file: await upload(), model: 'm' })
  await expect.poll(open.lastRow).toBeDefined()
  const row = await open.lastRow()
  expect(row?.usage.tool_calls).toEqual({ audio_second: 2 })
  expect(row?.cost_usd).toBeCloseTo(dollarsForAThousand / 1_000, 5)
})

describe('every transcript format is written for', () => {
  it.each(['deepgram', 'elevenlabs', 'mistral'])('%s', async (name) => {
    await using open = await openMediaGateway([channelOf(name)])
    const ask = async (form: 'srt' | 'vtt' | 'text') =>
      open.client.audio.transcriptions.create({ file: await upload(), model: 'm', response_format: form })
    expect(await ask('text')).toBe('Hello there.\n')
    expect(await ask('srt')).toBe('1\n00:00:00,000 --> 00:00:01,250\nHello there.\n')
    expect(await ask('vtt')).toBe('WEBVTT\n\n00:00:00.000 --> 00:00:01.250\nHello there.\n')
    const detailed = await open.client.audio.transcriptions.create({
      file: await upload(),
      model: 'm',
      response_format: 'verbose_json',
      timestamp_granularities: ['word'],
    })
    expect(detailed.segments).toMatchObject([{ start: 0, end: 1.25, text: 'Hello there.' }])
    if (name !== 'mistral') expect(detailed.words).toEqual(words)
  })

  it('elevenlabs without spaces where the language has none', async () => {
    const word = (text: string, start: number) => ({ text, start, end: start + 1, type: 'word' })
    const script = jsonAnswer({
      language_code: 'zho',
      text: '你好。',
      audio_duration_secs: 2,
      words: [word('你', 0), word('好。', 1)],
    })
    await using open = await openMediaGateway([{ ...channelOf('elevenlabs'), script }])
    const file = await upload()
    expect(await open.client.audio.transcriptions.create({ file, model: 'm', response_format: 'srt' })).toBe(
      '1\n00:00:00,000 --> 00:00:02,000\n你好。\n',
    )
  })

  it('deepgram with its speakers', async () => {
    await using open = await openMediaGateway([channelOf('deepgram')])
    const file = await upload()
    const answer = await open.client.audio.transcriptions.create({
      file,
      model: 'm',
      response_format: 'diarized_json',
    })
    expect(fieldsOf(answer)['segments']).toMatchObject([
      { speaker: 'A', start: 0, end: 1.25, text: 'Hello there.' },
    ])
  })
})

describe('a transcript costs', () => {
  /** Dollars, computed by hand of the price table's own rates. */
  it.each<[string, MediaChannel, number]>([
    [
      'the stated tokens',
      { ...openaiTokens, provider: 'azure-openai', script: jsonAnswer({ text: 'x', usage: tokens }) },
      (10 * 2.5 + 50 * 6 + 9 * 10) / 1e6,
    ],
    [
      'the stated seconds',
      { ...whisper, script: jsonAnswer({ text: 'x', usage: { type: 'duration', seconds: 7 } }) },
      7 * 0.0001,
    ],
    [
      'the duration of the answer, where it states no more',
      { ...whisper, script: jsonAnswer(verbose) },
      3 * 0.0001,
    ],
    [
      'the length of the file, where the answer says nothing',
      { ...whisper, script: jsonAnswer({ text: 'x' }) },
      3 * 0.0001,
    ],
    ['the seconds of another provider', channelOf('deepgram'), 3 * 0.00007167],
  ])('%s', async (_what, channel, dollars) => {
    await using open = await openMediaGateway([channel])
    const file = await upload()
    const { response } = await open.client.audio.transcriptions.create({ file, model: 'm' }).withResponse()
    expect(Number(response.headers.get('x-headgate-cost'))).toBeCloseTo(dollars, 9)
  })

  it('an estimate that is marked, if a file does not state its length', async () => {
    const script = { headers: { 'content-type': 'text/plain' }, chunks: ['x\n'] }
    await using open = await openMediaGateway([{ ...whisper, script }])
    const file = await toFile(Buffer.alloc(32_000, 1), 'speech.bin')
    await open.client.audio.transcriptions.create({ file, model: 'm', response_format: 'text' })
    await expect
      .poll(async () => (await open.lastRow())?.usage, within)
      .toMatchObject({ estimated: true, tool_calls: { audio_second: 2 } })
  })

  it('never more than an exact key has, which reserves the cost of the whole file', async () => {
    const secret = 'sk-budget-0123456789abcdef'
    await using open = await openMediaGateway(
      [{ ...whisper, script: jsonAnswer({ text: 'x', usage: { type: 'duration', seconds: 9_000 } }) }],
      `keys: [{ name: k, secret: ${secret}, models: ["*"], budgets: [{ limit_usd: 0.001, window: month, mode: exact }] }]\n`,
      secret,
    )
    const file = await upload()
    // The provider claims more seconds than the file has.
    await open.client.audio.transcriptions.create({ file, model: 'm' })
    await expect.poll(async () => (await open.charged()).count, within).toBe(1)
    expect((await open.charged()).dollars).toBeLessThanOrEqual(0.001)
    const large = await toFile(createWav(60), 'long.wav')
    await expect(open.client.audio.transcriptions.create({ file: large, model: 'm' })).rejects.toMatchObject({
      status: 429,
    })
  })
})

describe('a request for a transcript is refused', () => {
  const form = (fields: Readonly<Record<string, string>>, withFile = true) => {
    const data = new FormData()
    if (withFile) data.set('file', new Blob([new Uint8Array(wav)]), 'a.wav')
    for (const [name, value] of Object.entries(fields)) data.set(name, value)
    return data
  }

  it.each([
    ['without a file', form({ model: 'm' }, false), 'missing_field', 'file'],
    ['without a model', form({}), 'missing_field', 'model'],
    [
      'with a form of answer that is not known',
      form({ model: 'm', response_format: 'xml' }),
      'invalid_field',
      'response_format',
    ],
  ])('%s', async (_how, body, code, param) => {
    await using open = await openMediaGateway([channelOf('deepgram')])
    const answer = await open.post('/v1/audio/transcriptions', body)
    expect([answer.status, fieldsOf(fieldsOf(await answer.json())['error'])]).toMatchObject([
      400,
      { code, param },
    ])
  })

  it('as JSON', async () => {
    await using open = await openMediaGateway([channelOf('deepgram')])
    expect((await open.post('/v1/audio/transcriptions', { model: 'm' })).status).toBe(415)
  })

  it('if it is larger than the operator allows', async () => {
    await using open = await openMediaGateway([channelOf('deepgram')], 'limits: { upload: 20KB }\n')
    const answer = await open.post('/v1/audio/transcriptions', form({ model: 'm' }))
    expect([answer.status, await answer.text()]).toMatchObject([
      413,
      expect.stringContaining('limits.upload'),
    ])
  })

  it('with a part that names the model twice', async () => {
    await using open = await openMediaGateway([channelOf('deepgram')])
    const body = form({ model: 'm' })
    body.append('model', 'other')
    const answer = await open.post('/v1/audio/transcriptions', body)
    expect(fieldsOf(fieldsOf(await answer.json())['error'])).toMatchObject({ code: 'duplicate_field' })
  })
})
