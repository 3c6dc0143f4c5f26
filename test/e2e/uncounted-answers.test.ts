import { describe, expect, it } from 'vitest'
import { rowListSchema } from '../../src/admin/ledger/ledger-contract.ts'
import type { ChannelFormatId } from '../../src/canonical/format.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { openGateway, type Script } from '../support/open-gateway.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const price = 'models: { m: { price: { input: 1, output: 1000 } } }\n'
/** 2,000 characters, which are estimated as 500 tokens. */
const words = 'word '.repeat(400)
const asked = { model: 'm', max_tokens: 1_000, messages: [{ role: 'user', content: 'hi' }] }

const choice = { index: 0, message: { role: 'assistant', content: words }, finish_reason: 'stop' }
const completion = { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice] }
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: words }],
  stop_reason: 'end_turn',
  stop_sequence: null,
}
const started = { ...message, content: [], stop_reason: null, usage: { input_tokens: 8, output_tokens: 1 } }

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const chunks = sseAnswer([
  chunk({ role: 'assistant', content: words }),
  chunk({}, 'stop'),
  'data: [DONE]\n\n',
])
const event = (fields: { readonly type: string }) =>
  `event: ${fields.type}\ndata: ${JSON.stringify(fields)}\n\n`
const events = (usage: object) =>
  sseAnswer(
    [
      { type: 'message_start', message: started },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, ...usage },
      { type: 'message_stop' },
    ].map(event),
  )

interface Asked {
  readonly script: Script
  readonly format: ChannelFormatId
  readonly path: '/v1/chat/completions' | '/v1/messages'
  readonly stream: boolean
}

/** Asks once, and expects one row: its state, its output, and its cost in thousandths of a dollar. */
async function expectRow(
  { script, format, path, stream }: Asked,
  row: readonly [string, number, boolean, number],
): Promise<void> {
  await using open = await openGateway({ scripts: [script], format, more: price })
  const answer = await fetch(`${open.gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...asked, stream }),
  })
  // The gateway closes the connection of a stream that breaks off.
  const text = await answer.text().catch(() => words)
  expect([answer.status, text.includes(words)]).toEqual([200, true])
  const askAdmin = createAskAdmin(open.gateway.url)
  const readRows = async () => {
    const { data } = rowListSchema.parse((await askAdmin('GET', '/ledger')).body)
    return data.map(({ state, usage, cost_usd: cost }) => [
      state,
      usage.output_tokens,
      usage.estimated,
      Math.floor(cost * 1_000),
    ])
  }
  await expect.poll(readRows).toEqual([row])
}

describe('an answer whose output its provider does not report', () => {
  const chat = '/v1/chat/completions'
  const messages = '/v1/messages'
  it.each<[string, Asked]>([
    ['whole, as it is', { script: jsonAnswer(completion), format: 'chat', path: chat, stream: false }],
    ['whole, translated', { script: jsonAnswer(completion), format: 'chat', path: messages, stream: false }],
    ['whole, for a stream', { script: jsonAnswer(completion), format: 'chat', path: chat, stream: true }],
    ['a stream, as it is', { script: chunks, format: 'chat', path: chat, stream: true }],
    ['a stream, translated', { script: chunks, format: 'chat', path: messages, stream: true }],
    [
      'a message, as it is',
      { script: jsonAnswer(message), format: 'messages', path: messages, stream: false },
    ],
    [
      'a stream whose start alone counts, as it is',
      { script: events({}), format: 'messages', path: messages, stream: true },
    ],
    [
      'a stream whose start alone counts, translated',
      { script: events({}), format: 'messages', path: chat, stream: true },
    ],
  ])('is billed for the written text: %s', async (_what, asked) => {
    await expectRow(asked, ['estimated', 500, true, 500])
  })

  it('is an estimate where the provider counted as it went, and the stream breaks off', async () => {
    const soFar = { promptTokenCount: 8, candidatesTokenCount: 600, totalTokenCount: 608 }
    const part = { candidates: [{ index: 0, content: { role: 'model', parts: [{ text: words }] } }] }
    const script = sseAnswer([`data: ${JSON.stringify({ ...part, usageMetadata: soFar })}\n\n`])
    const asked = { script, format: 'gemini', path: chat, stream: true } as const
    await expectRow(asked, ['estimated', 600, true, 600])
  })

  it.each([chat, messages] as const)('is billed for usage although zeros follow it, by %s', async (path) => {
    const usageOf = (prompt: number, output: number) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output } })}\n\n`
    const script = sseAnswer([
      chunk({ role: 'assistant', content: words }),
      chunk({}, 'stop'),
      usageOf(8, 321),
      usageOf(0, 0),
      'data: [DONE]\n\n',
    ])
    await expectRow({ script, format: 'chat', path, stream: true }, ['settled', 321, false, 321])
  })

  it('is billed for the provider’s usage once it is reported', async () => {
    const script = events({ usage: { output_tokens: 321 } })
    const counted = { script, format: 'messages', path: messages, stream: true } as const
    await expectRow(counted, ['settled', 321, false, 321])
  })
})
