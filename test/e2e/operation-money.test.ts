import { toFile } from 'openai'
import { describe, expect, it } from 'vitest'
import { type RawAnswer, readBill } from '../long/price-truth/read-bill.ts'
import { type MediaChannel, openMediaGateway } from '../support/media/open-media-gateway.ts'
import { createWav } from '../support/media/sound.ts'
import { awkwardPrice, priceAwkwardly, rowNanos } from '../support/operation-bill/awkward-price.ts'
import {
  type OperationBill,
  readImageBill,
  readRankBill,
  readSpeechBill,
  readSpokenBill,
  readTranscriptBill,
} from '../support/operation-bill/read-operation-bill.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { openSocket } from '../support/socket-client.ts'

const within = { timeout: 30_000 }
const priced = `models: { m: { price: ${awkwardPrice} } }\n`
const isCut = (error: unknown) => expect(error).toBeInstanceOf(TypeError)
type Opened = Awaited<ReturnType<typeof openMediaGateway>>

interface Case {
  readonly channel: MediaChannel
  readonly bill: OperationBill
  readonly ask: (open: Opened) => Promise<unknown>
}

const events = (...list: readonly object[]) =>
  sseAnswer(list.map((event) => `data: ${JSON.stringify(event)}\n\n`))

function billOf(answer: RawAnswer): OperationBill {
  const bill = readBill(answer)
  if (bill === undefined) throw new Error('no usage')
  return bill
}

const picture = {
  created: 7,
  data: [{ b64_json: 'AAAA' }],
  usage: {
    total_tokens: 4_201,
    input_tokens: 140,
    output_tokens: 4_061,
    input_tokens_details: { text_tokens: 39, image_tokens: 101 },
    output_tokens_details: { text_tokens: 61, image_tokens: 4_000 },
  },
}
const plainPicture = {
  ...picture,
  usage: { ...picture.usage, output_tokens_details: undefined },
}
const images = { provider: 'openai', upstreamModel: 'gpt-image-2' }
const drawn = { model: 'm', prompt: 'a gate' }
const finished = (type: string) => ({ type, b64_json: 'AAAA', usage: picture.usage })

/** A price that has tokens and units is billed for both. */
function withUnits(bill: OperationBill, calls: Readonly<Record<string, bigint>>): OperationBill {
  return { ...bill, calls: { ...bill.calls, ...calls } }
}

const ofGemini = {
  candidates: [
    {
      content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: {
    promptTokenCount: 271,
    candidatesTokenCount: 1_131,
    totalTokenCount: 1_402,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 13 },
      { modality: 'IMAGE', tokenCount: 258 },
    ],
    candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_120 }],
  },
}
const gemini = { provider: 'gemini', upstreamModel: 'gemini-nano-banana-2.1', path: '/v1beta' }
const drawnByGemini = billOf({
  api: 'gemini.generateContent',
  provider: 'gemini',
  payloads: [ofGemini],
})

function times(bill: OperationBill, factor: bigint): OperationBill {
  const entries = Object.entries(bill.tokens).map(([name, count]) => [name, count * factor] as const)
  return { tokens: Object.fromEntries(entries), calls: bill.calls }
}

function editForm(): FormData {
  const form = new FormData()
  form.append('model', 'm')
  form.append('prompt', 'a gate')
  form.append('image', new Blob(['png'], { type: 'image/png' }), 'a.png')
  return form
}

const ofImages: readonly (readonly [string, Case])[] = [
  [
    'generate',
    {
      channel: { ...images, script: jsonAnswer(picture) },
      bill: withUnits(readImageBill(picture), { image: 1n }),
      ask: (open) => open.post('/v1/images/generations', drawn),
    },
  ],
  [
    'generate, of whose output nothing is said',
    {
      channel: { ...images, script: jsonAnswer(plainPicture) },
      bill: withUnits(readImageBill(plainPicture), { image: 1n }),
      ask: (open) => open.post('/v1/images/generations', drawn),
    },
  ],
  [
    'generate as a stream',
    {
      channel: { ...images, script: events(finished('image_generation.completed')) },
      bill: withUnits(readImageBill(picture), { image: 1n }),
      ask: (open) => open.post('/v1/images/generations', { ...drawn, stream: true }),
    },
  ],
  [
    'edit',
    {
      channel: { ...images, script: jsonAnswer(picture) },
      bill: withUnits(readImageBill(picture), { image: 1n }),
      ask: (open) => open.post('/v1/images/edits', editForm()),
    },
  ],
  [
    'generate by a Gemini model, in three calls',
    {
      channel: { ...gemini, script: jsonAnswer(ofGemini) },
      bill: withUnits(times(drawnByGemini, 3n), { image: 3n }),
      ask: (open) => open.post('/v1/images/generations', { ...drawn, n: 3 }),
    },
  ],
  [
    'generate without usage',
    {
      channel: {
        provider: 'openai-compatible',
        upstreamModel: 'flux',
        script: jsonAnswer({
          created: 7,
          data: [{ b64_json: 'AA' }, { b64_json: 'AA' }, { b64_json: 'AA' }],
        }),
      },
      bill: { tokens: {}, calls: { image: 3n } },
      ask: (open) => open.post('/v1/images/generations', { ...drawn, n: 3 }),
    },
  ],
  ...[
    {
      name: 'whole',
      script: jsonAnswer({
        created: 7,
        data: [{ b64_json: 'AA' }],
        usage: { input_tokens: 0, output_tokens: 0 },
      }),
    },
    {
      name: 'as a stream that ends early',
      script: events({ type: 'image_generation.completed', b64_json: 'AA' }),
    },
    {
      name: 'as a stream that breaks off',
      script: {
        ...events({ type: 'image_generation.partial_image', b64_json: 'AA' }),
        ending: 'half-close' as const,
      },
    },
  ].map(
    ({ name, script }) =>
      [
        `ask for three and get one ${name}, without usage`,
        {
          channel: { provider: 'openai-compatible', upstreamModel: 'flux', script },
          bill: { tokens: {}, calls: { image: 1n } },
          ask: (open: Opened) =>
            open
              .post('/v1/images/generations', { ...drawn, n: 3, stream: name !== 'whole' })
              .then((answer) => answer.text())
              .catch(isCut),
        },
      ] as const,
  ),
  ...['b64_json', 'url'].map(
    (name) =>
      [
        `ask for three and get one as ${name}`,
        {
          channel: {
            provider: 'openai-compatible',
            upstreamModel: 'flux',
            script: jsonAnswer({ created: 7, data: [{ [name]: 'AA', revised_prompt: 'a "url"' }] }),
          },
          bill: { tokens: {}, calls: { image: 1n } },
          ask: (open: Opened) => open.post('/v1/images/generations', { ...drawn, n: 3 }),
        },
      ] as const,
  ),
]

const spoken = 'Grüße 👋 you!'
const spokenEvent = {
  type: 'speech.audio.done',
  usage: { input_tokens: 17, output_tokens: 1_013, total_tokens: 1_030 },
}
const mp3 = { headers: { 'content-type': 'audio/mpeg' }, chunks: [Buffer.from('sound')] }
const said = { model: 'm', input: spoken, voice: 'alloy' }
const heard = {
  text: 'x',
  usage: {
    type: 'tokens',
    input_tokens: 61,
    input_token_details: { audio_tokens: 50, text_tokens: 11 },
    output_tokens: 9,
    total_tokens: 70,
  },
}
const timed = { text: 'x', usage: { type: 'duration', seconds: 6.3 } }

async function transcribe({ client }: Opened): Promise<void> {
  const file = await toFile(createWav(3), 'speech.wav')
  await client.audio.transcriptions.create({ file, model: 'm' })
}

const ofSound: readonly (readonly [string, Case])[] = [
  [
    'speech as events',
    {
      channel: { provider: 'openai', upstreamModel: 'gpt-4o-mini-tts', script: events(spokenEvent) },
      bill: withUnits(readSpeechBill(spokenEvent), readSpokenBill(spoken).calls),
      ask: (open) => open.post('/v1/audio/speech', { ...said, stream_format: 'sse' }),
    },
  ],
  [
    'speech as bytes',
    {
      channel: { provider: 'elevenlabs', upstreamModel: 'eleven_v3', script: mp3 },
      bill: readSpokenBill(spoken),
      ask: (open) => open.post('/v1/audio/speech', said),
    },
  ],
  [
    'transcription by tokens',
    {
      channel: { provider: 'openai', upstreamModel: 'gpt-4o-transcribe', script: jsonAnswer(heard) },
      bill: withUnits(readTranscriptBill(heard), { audio_second: 3n }),
      ask: transcribe,
    },
  ],
  [
    'transcription by tokens, as a stream',
    {
      channel: {
        provider: 'openai',
        upstreamModel: 'gpt-4o-transcribe',
        script: events({ type: 'transcript.text.done', ...heard }),
      },
      bill: withUnits(readTranscriptBill(heard), { audio_second: 3n }),
      ask: async ({ client }) => {
        const file = await toFile(createWav(3), 'speech.wav')
        const stream = await client.audio.transcriptions.create({ file, model: 'm', stream: true })
        for await (const _event of stream) void _event
      },
    },
  ],
  [
    'transcription by seconds',
    {
      channel: { provider: 'openai', upstreamModel: 'whisper-1', script: jsonAnswer(timed) },
      bill: readTranscriptBill(timed),
      ask: transcribe,
    },
  ],
]

const ranked = [
  { index: 1, relevance_score: 0.9 },
  { index: 0, relevance_score: 0.2 },
]
const byUnits = { id: 'r', results: ranked, meta: { billed_units: { search_units: 7 } } }
const byTokens = { object: 'list', data: ranked, model: 'rerank-3', usage: { total_tokens: 1_237 } }
const rank = (open: Opened) =>
  open.post('/v1/rerank', { model: 'm', query: 'What flows?', documents: ['Gate.', 'Water.'] })
const verdict = {
  id: 'modr-1',
  model: 'x',
  results: [{ flagged: false, categories: {}, category_scores: {} }],
}

const ofLists: readonly (readonly [string, Case])[] = [
  [
    'rerank by units',
    {
      channel: { provider: 'cohere', upstreamModel: 'rerank-v3.5', script: jsonAnswer(byUnits) },
      bill: readRankBill(byUnits),
      ask: rank,
    },
  ],
  [
    'rerank by tokens',
    {
      channel: { provider: 'voyage', upstreamModel: 'rerank-3', path: '/v1', script: jsonAnswer(byTokens) },
      bill: readRankBill(byTokens),
      ask: rank,
    },
  ],
  [
    'a moderation, which states nothing',
    {
      channel: { provider: 'openai', upstreamModel: 'omni-moderation-latest', script: jsonAnswer(verdict) },
      bill: { tokens: {}, calls: {} },
      ask: (open) => open.post('/v1/moderations', { model: 'm', input: 'Hi' }),
    },
  ],
]

const chatUsage = {
  prompt_tokens: 1_003,
  completion_tokens: 507,
  total_tokens: 1_510,
  prompt_tokens_details: { cached_tokens: 301 },
  completion_tokens_details: { reasoning_tokens: 207 },
}
const chat = { id: 'c', object: 'chat.completion', model: 'up-m', choices: [], usage: chatUsage }
const message = {
  type: 'message',
  usage: {
    input_tokens: 103,
    cache_read_input_tokens: 57,
    cache_creation_input_tokens: 31,
    output_tokens: 19,
  },
}
const content = {
  usageMetadata: {
    promptTokenCount: 1_013,
    cachedContentTokenCount: 511,
    candidatesTokenCount: 59,
    thoughtsTokenCount: 23,
    totalTokenCount: 1_095,
  },
}
const chatBill = billOf({ api: 'openai.chat', provider: 'openai', payloads: [chat] })
const key = 'sk-pass-0123456789abcdef'
const keyMore = `keys: [{ name: k, secret: ${key}, models: ["*"], passthrough: [c0] }]\n`

function passThrough(path: string, answer: object, api: string): Case {
  const rules =
    'passthrough: [{ path: "/models/*:generateContent", price: usage }, { path: "/**", price: usage }]'
  return {
    channel: {
      provider: 'openai',
      upstreamModel: 'up-m',
      path: '/v1',
      settings: `api_key: sk-upstream-0123456789, ${rules}`,
      script: jsonAnswer(answer),
    },
    bill: billOf({ api, provider: 'openai', payloads: [answer] }),
    ask: (open) => open.post(`/passthrough/c0${path}`, { model: 'up-m' }),
  }
}

const ofPassThrough: readonly (readonly [string, Case])[] = [
  ['chat completions', passThrough('/chat/completions', chat, 'openai.chat')],
  ['messages', passThrough('/messages', message, 'anthropic.messages')],
  ['generateContent', passThrough('/models/up-m:generateContent', content, 'gemini.generateContent')],
]

async function expectRow({ channel, bill, ask }: Case, more = '', secret?: string): Promise<void> {
  await using open = await openMediaGateway([channel], priced + more, secret)
  const answer = await ask(open)
  if (answer instanceof Response) {
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
  }
  await expect.poll(async () => (await open.rows()).length, within).toBe(1)
  const row = await open.lastRow()
  const expected = priceAwkwardly(bill)
  expect([rowNanos(row?.cost_usd), rowNanos(row?.charged_usd), row?.state]).toEqual([
    expected,
    expected,
    'settled',
  ])
}

describe('the row of an operation matches an independent calculation:', () => {
  it.each(ofImages)('images, %s', (_what, each) => expectRow(each))
  it.each(ofSound)('%s', (_what, each) => expectRow(each))
  it.each(ofLists)('%s', (_what, each) => expectRow(each))
  it.each(ofPassThrough)('pass-through of %s', (_what, each) => expectRow(each, keyMore, key))

  it('a response over WebSocket', async () => {
    const script = () =>
      events(
        { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] },
        { ...chat, choices: [] },
      )
    const channel = { provider: 'openai-compatible', upstreamModel: 'up-m', path: '/v1', script }
    await using open = await openMediaGateway([channel], priced)
    await using client = await openSocket(open.gateway.url)
    client.send({ type: 'response.create', model: 'm', input: 'Weather?' })
    await client.next('response.completed')
    await expect
      .poll(async () => rowNanos((await open.lastRow())?.charged_usd))
      .toBe(priceAwkwardly(chatBill))
  })
})

describe('a key with an exact dollar never pays more, even if the provider used more, and the cost shows the excess:', () => {
  const secret = 'sk-dollar-0123456789abcdef'
  const keys = `keys: [{ name: k, secret: ${secret}, models: ["*"], passthrough: [c0], budgets: [{ limit_usd: 1, window: month, mode: exact }] }]\n`
  const bounded = `models: { m: { max_output_tokens: 1000, context_window: 4000, price: ${awkwardPrice} } }\n`
  const hugePicture = {
    ...picture,
    usage: {
      ...picture.usage,
      output_tokens: 400_061,
      output_tokens_details: { text_tokens: 61, image_tokens: 400_000 },
    },
  }
  const hugeChat = {
    ...chat,
    usage: { prompt_tokens: 1_000_003, completion_tokens: 7, total_tokens: 1_000_010 },
  }
  const hugeSpeech = {
    ...spokenEvent,
    usage: { input_tokens: 17, output_tokens: 400_013, total_tokens: 400_030 },
  }
  const long = spoken.repeat(300)
  const hugeTimed = { text: 'x', usage: { type: 'duration', seconds: 9_000.5 } }
  const form = () => {
    const transcribed = new FormData()
    transcribed.append('model', 'm')
    transcribed.append('file', new Blob([new Uint8Array(400_000)]), 'speech.bin')
    return transcribed
  }
  const huge: readonly (readonly [string, Case])[] = [
    [
      'images',
      {
        channel: { ...images, script: jsonAnswer(hugePicture) },
        bill: withUnits(readImageBill(hugePicture), { image: 1n }),
        ask: (open) => open.post('/v1/images/generations', { ...drawn, size: '1024x1024', quality: 'low' }),
      },
    ],
    [
      'speech',
      {
        channel: { provider: 'openai', upstreamModel: 'gpt-4o-mini-tts', script: events(hugeSpeech) },
        bill: withUnits(readSpeechBill(hugeSpeech), readSpokenBill(long).calls),
        ask: (open) => open.post('/v1/audio/speech', { ...said, input: long, stream_format: 'sse' }),
      },
    ],
    [
      'transcriptions',
      {
        channel: { provider: 'openai', upstreamModel: 'whisper-1', script: jsonAnswer(hugeTimed) },
        bill: readTranscriptBill(hugeTimed),
        ask: (open) => open.post('/v1/audio/transcriptions', form()),
      },
    ],
    [
      'pass-through',
      {
        ...passThrough('/chat/completions', hugeChat, 'openai.chat'),
        ask: (open) => open.post('/passthrough/c0/chat/completions', { model: 'up-m' }),
      },
    ],
  ]

  it.each(huge)('%s', async (_what, { channel, bill, ask }) => {
    await using open = await openMediaGateway([channel], bounded + keys, secret)
    let served = 0
    // Enough of them for the budget to end.
    for (let round = 0; round < 30; round += 1) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask(open)))
      const statuses = answers.map((answer) => (answer instanceof Response ? answer.status : 0))
      await Promise.all(answers.map((answer) => answer instanceof Response && answer.arrayBuffer()))
      served += statuses.filter((status) => status === 200).length
      if (statuses.every((status) => status === 429)) break
    }
    await expect.poll(async () => (await open.rows()).length, within).toBe(served)
    const rows = await open.rows()
    const expected = priceAwkwardly(bill)
    expect(new Set(rows.map(({ cost_usd: cost }) => rowNanos(cost)))).toEqual(new Set([expected]))
    const charged = rows.reduce((sum, { charged_usd: amount }) => sum + rowNanos(amount), 0n)
    expect(charged).toBeLessThanOrEqual(10n ** 9n)
    expect(expected * BigInt(served)).toBeGreaterThan(10n ** 9n)
  })
})
