import { expect, it } from 'vitest'
import { rowListSchema } from '../../src/admin/ledger/ledger-contract.ts'
import type { ChannelFormatId } from '../../src/canonical/format.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { type OpenGateway, openGateway } from '../support/open-gateway.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'
import { writeEvent } from '../support/write-event-stream.ts'

const text = 'A gate that only opens for some, and reports who has gone through.'
const prompt = 'word '.repeat(400)
const price = 'models: { m: { price: { input: 1, output: 2 } } }\n'

const answers = {
  chat: (usage: object) => ({
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage,
  }),
  messages: (usage: object) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage,
  }),
  responses: (usage: object, more: object = {}) => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: 'completed',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage,
    ...more,
  }),
  gemini: (usageMetadata: object) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
    modelVersion: 'm',
    usageMetadata,
  }),
}

const zeros = {
  chat: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  messages: { input_tokens: 0, output_tokens: 0 },
  responses: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  gemini: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
}

/** The row of one request, of the chat format where nothing else is said. */
async function rowOf(open: OpenGateway, more: object = {}, path = '/chat/completions') {
  const { gateway } = open
  const asked = await fetch(`${gateway.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: prompt }], ...more }),
  })
  const read = await asked.text()
  expect(asked.status, read).toBe(200)
  return await firstRow(open)
}

/** Asks as a chat caller who wants to see the cost. */
function ask({ gateway }: OpenGateway, more: object = {}): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${testKey}`,
      'content-type': 'application/json',
      'x-headgate-usage': 'cost',
    },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: prompt }], ...more }),
  })
}

async function firstRow({ gateway }: OpenGateway) {
  const admin = createAskAdmin(gateway.url)
  const rows = async () => rowListSchema.parse((await admin('GET', '/ledger?limit=2')).body).data
  await untilAsync('the row is written', async () => (await rows()).length === 1)
  const [row] = await rows()
  if (row === undefined) throw new Error('there is no row')
  return row
}

async function rowOfAnswer(format: ChannelFormatId, answer: object) {
  await using open = await openGateway({ scripts: [jsonAnswer(answer)], format, more: price })
  return await rowOf(open)
}

it.each([
  ['chat', answers.chat(zeros.chat)],
  ['chat', answers.chat({})],
  ['chat', answers.chat({ prompt_tokens: '500', completion_tokens: '20' })],
  ['messages', answers.messages(zeros.messages)],
  ['messages', answers.messages({ output_tokens: null })],
  ['gemini', answers.gemini(zeros.gemini)],
  [
    'responses',
    answers.responses(zeros.responses, {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    }),
  ],
] as const)(
  'an answer of a %s channel whose usage counts nothing is estimated, not free',
  async (format, answer) => {
    const { state, usage } = await rowOfAnswer(format, answer)
    expect(state).toBe('estimated')
    expect(usage.fresh_input_tokens).toBeGreaterThan(200)
    expect(usage.output_tokens).toBeGreaterThan(10)
  },
)

it('a stream whose last chunk counts nothing is estimated, not free', async () => {
  const chunk = (choices: readonly object[], more: object = {}) =>
    `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`
  const stream = sseAnswer([
    chunk([{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    chunk([], { usage: zeros.chat }),
    'data: [DONE]\n\n',
  ])
  await using open = await openGateway({ scripts: [stream], more: price })
  const { state, usage } = await rowOf(open, { stream: true })
  expect(state).toBe('estimated')
  expect(usage.fresh_input_tokens).toBeGreaterThan(200)
  expect(usage.output_tokens).toBeGreaterThan(10)
})

it('a stream of Converse without its counts is estimated, and shows neither usage nor cost', async () => {
  const stream = {
    headers: { 'content-type': 'application/vnd.amazon.eventstream' },
    chunks: [
      writeEvent('messageStart', { role: 'assistant' }),
      writeEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
      writeEvent('messageStop', { stopReason: 'end_turn' }),
    ],
  }
  await using open = await openGateway({ format: 'converse', scripts: [stream], more: price })
  const asked = await ask(open, { stream: true, stream_options: { include_usage: true } })
  const answer = await asked.text()
  expect(answer).toContain('[DONE]')
  expect(answer).not.toMatch(/"cost"|_tokens"/)
  const { state, usage } = await firstRow(open)
  expect(state).toBe('estimated')
  expect(usage.fresh_input_tokens).toBeGreaterThan(200)
  expect(usage.output_tokens).toBeGreaterThan(10)
})

it.each([
  [
    '/embeddings',
    { input: prompt, messages: undefined },
    {
      object: 'list',
      model: 'm',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      usage: { prompt_tokens: 0, total_tokens: 0 },
    },
  ],
  [
    '/images/generations',
    { prompt, messages: undefined },
    {
      created: 1,
      data: [{ b64_json: 'AAAA' }],
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    },
  ],
] as const)(
  'an answer of %s whose usage counts nothing is estimated, not free',
  async (path, asked, answer) => {
    await using open = await openGateway({ scripts: [jsonAnswer(answer)], more: price })
    const { state, usage } = await rowOf(open, asked, path)
    expect(state).toBe('estimated')
    expect(usage.fresh_input_tokens).toBeGreaterThan(200)
  },
)

it.each([
  ['no usage', undefined],
  ['zeros', zeros.chat],
])('an answer with %s has the cost of its row in its header, and none in its usage', async (_name, usage) => {
  const { usage: _usage, ...unstated } = answers.chat({})
  const answer = usage === undefined ? unstated : { ...unstated, usage }
  await using open = await openGateway({ scripts: [jsonAnswer(answer)], more: price })
  const asked = await ask(open)
  expect(await asked.json()).toEqual(answer)
  const { cost_usd: cost } = await firstRow(open)
  expect(Number(asked.headers.get('x-headgate-cost'))).toBe(cost)
  expect(cost).toBeGreaterThan(0)
})

it('output is estimated where a provider counts only the input of an answer with text', async () => {
  const { state, usage } = await rowOfAnswer(
    'gemini',
    answers.gemini({ promptTokenCount: 500, totalTokenCount: 500 }),
  )
  expect(state).toBe('estimated')
  expect(usage.fresh_input_tokens).toBe(500)
  expect(usage.output_tokens).toBeGreaterThan(10)
})

it('zeros are believed where no model was at work: a program that goes on, a prompt that is free', async () => {
  const call = {
    id: 'fc_1',
    type: 'function_call',
    status: 'completed',
    arguments: '{"sku":"sku_123"}',
    call_id: 'call_1',
    caller: { type: 'program', caller_id: 'call_2' },
    name: 'getDemand',
  }
  const program = await rowOfAnswer('responses', answers.responses(zeros.responses, { output: [call] }))
  expect(program).toMatchObject({ state: 'settled', cost_usd: 0 })
  const free = { prompt_tokens: 0, completion_tokens: 180, total_tokens: 180 }
  const { state, usage } = await rowOfAnswer('chat', answers.chat(free))
  expect({ state, input: usage.fresh_input_tokens }).toEqual({ state: 'settled', input: 0 })
})
