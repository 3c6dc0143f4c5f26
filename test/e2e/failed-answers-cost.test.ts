import { expect, it } from 'vitest'
import type { ChannelFormatId } from '../../src/canonical/format.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { cohereContent } from '../support/cohere-stream.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { streamAnswer } from '../support/open-fake-bedrock.ts'
import { type OpenGateway, openGateway } from '../support/open-gateway.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'
import { writeEvent } from '../support/write-event-stream.ts'

const more = `budgets: [{ name: all, scope: installation, limit_usd: 5, window: month }]
models: { m: { price: { input: 1, output: 2 } } }
`
const chatUsage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 }
const chat = (message: object, finish_reason: string | null) =>
  jsonAnswer({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
    usage: chatUsage,
  })
const gemini = (candidate: object) => ({
  candidates: [{ index: 0, ...candidate }],
  usageMetadata: { promptTokenCount: 1_000, thoughtsTokenCount: 500, totalTokenCount: 1_500 },
})
const ofGemini = [
  gemini({ finishReason: 'MALFORMED_FUNCTION_CALL' }),
  gemini({ content: { role: 'model', parts: [{ text: 'Hi.' }] }, finishReason: 'STOP' }),
]
const whole = ofGemini.map((answer) => jsonAnswer(answer))
const streamed = ofGemini.map((answer) => sseAnswer([`data: ${JSON.stringify(answer)}\n\n`]))

const asChat = {
  path: '/v1/chat/completions',
  body: { model: 'm', max_tokens: 1_000, messages: [{ role: 'user', content: 'Hi' }] },
}
const ofResponses = (status: string, output: readonly object[] = []) => ({
  id: 'r',
  object: 'response',
  created_at: 1,
  model: 'm',
  status,
  output,
  usage: { input_tokens: 1_000, output_tokens: 500, total_tokens: 1_500 },
})
const text = { type: 'output_text', text: 'Hi.', annotations: [] }
const said = { type: 'message', id: 'm', status: 'completed', role: 'assistant', content: [text] }
const responses = [
  { type: 'response.failed', response: ofResponses('failed') },
  { type: 'response.completed', response: ofResponses('completed', [said]) },
].map((event) => sseAnswer([`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`]))
const message = (content: readonly object[], stop_reason: string | null) =>
  jsonAnswer({
    id: 'x',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 1_000, output_tokens: 500 },
  })
const messages = [message([], null), message([{ type: 'text', text: 'Hi.' }], 'end_turn')]
const chunks = (['error', 'stop'] as const).map((finish_reason) => {
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
  const begun = { index: 0, delta: { content: finish_reason === 'stop' ? 'Hi.' : '' }, finish_reason: null }
  const ended = { index: 0, delta: {}, finish_reason }
  return sseAnswer([
    `data: ${JSON.stringify({ ...chunk, choices: [begun] })}\n\n`,
    `data: ${JSON.stringify({ ...chunk, choices: [ended], usage: chatUsage })}\n\ndata: [DONE]\n\n`,
  ])
})
const ofCohere = (['ERROR', 'COMPLETE'] as const).map((finish_reason) => ({
  id: 'c',
  finish_reason,
  message: { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
  usage: { tokens: { input_tokens: 1_000, output_tokens: 500 } },
}))
const cohere = ofCohere.map((answer) => jsonAnswer(answer))
const cohereStreams = ofCohere.map(({ finish_reason, usage }) => {
  const events = [
    { type: 'message-start', id: 'c', delta: { message: { role: 'assistant' } } },
    ...(finish_reason === 'ERROR' ? [] : [cohereContent('start', 0, { type: 'text', text: 'Hi.' })]),
    { type: 'message-end', delta: { finish_reason, usage } },
  ]
  return sseAnswer(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
})
const converseUsage = { inputTokens: 1_000, outputTokens: 500, totalTokens: 1_500 }
const stopReason = 'malformed_model_output'
const converse = jsonAnswer({
  output: { message: { role: 'assistant', content: [{ text: 'Hi.' }] } },
  stopReason,
  usage: converseUsage,
})
const converseStream = streamAnswer(
  writeEvent('messageStart', { role: 'assistant' }),
  writeEvent('messageStop', { stopReason }),
  writeEvent('metadata', { usage: converseUsage }),
)
const asStream = { ...asChat, body: { ...asChat.body, stream: true } }
const asMessages = { ...asChat, path: '/v1/messages' }
const asMessagesStream = { ...asMessages, body: asStream.body }
const asResponses = { path: '/v1/responses', body: { model: 'm', input: 'Hi', stream: true } }
const asGemini = {
  path: '/v1beta/models/m:generateContent',
  body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
}
const asGeminiStream = { ...asGemini, path: '/v1beta/models/m:streamGenerateContent?alt=sse' }

/** The status of the answer, once it is over. */
async function ask({ gateway }: OpenGateway, asked: { readonly path: string; readonly body: object }) {
  const answer = await fetch(`${gateway.url}${asked.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(asked.body),
  })
  await answer.text()
  return answer.status
}

async function readRows({ gateway }: OpenGateway) {
  const { body } = await createAskAdmin(gateway.url)('GET', '/ledger')
  return listOf(fieldsOf(body)['data']).map(fieldsOf)
}

// Each of the two answers has 1,000 tokens in at a dollar and 500 out at two dollars for a million.
it.each([
  [
    'an answer without content',
    'chat',
    [chat({ content: '' }, null), chat({ content: 'Hi.' }, 'stop')],
    asChat,
  ],
  ['a stream that ends in an error', 'chat', chunks, asStream],
  ['a stream that ends in an error and is translated', 'chat', chunks, asMessagesStream],
  ['a message without content', 'messages', messages, asMessages],
  ['a message without content that is translated', 'messages', messages, asChat],
  ['a failed response', 'responses', responses, asResponses],
  ['a failed response that is translated', 'responses', responses, asStream],
  ['a broken call of Gemini', 'gemini', whole, asGemini],
  ['a broken call of Gemini that is translated', 'gemini', whole, asChat],
  ['a broken call of Gemini in a stream', 'gemini', streamed, asGeminiStream],
  ['a broken call of Gemini in a stream that is translated', 'gemini', streamed, asStream],
  ['an answer of Cohere that ends in an error', 'cohere', cohere, asChat],
  ['a stream of Cohere that ends in an error', 'cohere', cohereStreams, asStream],
] as const)(
  '%s has the cost of its usage, which the caller does not pay',
  async (_, format, answers, asked) => {
    const formatId: ChannelFormatId = format
    await using open = await openGateway({ scripts: [[...answers]], format: formatId, more })
    expect(await ask(open, asked)).toBe(200)
    const admin = createAskAdmin(open.gateway.url)
    const rows = () => readRows(open)
    await expect.poll(async () => (await rows()).length).toBe(2)
    expect((await rows()).toReversed()).toMatchObject([
      { cost_usd: 0.002, charged_usd: 0, state: 'settled', flags: ['failed'] },
      { cost_usd: 0.002, charged_usd: 0.002, state: 'settled' },
    ])
    expect((await admin('GET', '/budgets/all')).body).toMatchObject({ spent_usd: 0.004, held_usd: 0 })
  },
)

it.each([
  ['an answer', converse, asChat],
  ['a stream', converseStream, asStream],
] as const)(
  '%s of Converse that its provider could not read has the cost of its usage',
  async (_, answer, asked) => {
    await using open = await openGateway({ scripts: [[answer]], format: 'converse', more })
    expect(await ask(open, asked)).toBe(502)
    await expect
      .poll(() => readRows(open))
      .toMatchObject([{ cost_usd: 0.002, charged_usd: 0, state: 'settled', flags: ['failed'] }])
  },
)
