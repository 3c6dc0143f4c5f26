import { expect, it } from 'vitest'
import type { ChannelFormatId } from '../../src/canonical/format.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { openGateway } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

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
const gemini = (candidate: object) =>
  jsonAnswer({
    candidates: [{ index: 0, ...candidate }],
    usageMetadata: { promptTokenCount: 1_000, thoughtsTokenCount: 500, totalTokenCount: 1_500 },
  })
const malformed = gemini({ finishReason: 'MALFORMED_FUNCTION_CALL' })
const good = gemini({ content: { role: 'model', parts: [{ text: 'Hi.' }] }, finishReason: 'STOP' })

const asChat = {
  path: '/v1/chat/completions',
  body: { model: 'm', max_tokens: 1_000, messages: [{ role: 'user', content: 'Hi' }] },
}
const asGemini = {
  path: '/v1beta/models/m:generateContent',
  body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
}

// Each of the two answers has 1,000 tokens in at a dollar and 500 out at two dollars for a million.
it.each([
  [
    'an answer without content',
    'chat',
    [chat({ content: '' }, null), chat({ content: 'Hi.' }, 'stop')],
    asChat,
  ],
  ['a broken call of Gemini', 'gemini', [malformed, good], asGemini],
  ['a broken call of Gemini that is translated', 'gemini', [malformed, good], asChat],
] as const)(
  '%s has the cost of its usage, which the caller does not pay',
  async (_, format, answers, asked) => {
    const formatId: ChannelFormatId = format
    await using open = await openGateway({ scripts: [[...answers]], format: formatId, more })
    const answer = await fetch(`${open.gateway.url}${asked.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(asked.body),
    })
    expect(answer.status).toBe(200)
    const admin = createAskAdmin(open.gateway.url)
    const rows = async () => listOf(fieldsOf((await admin('GET', '/ledger')).body)['data']).map(fieldsOf)
    await expect.poll(async () => (await rows()).length).toBe(2)
    expect((await rows()).toReversed()).toMatchObject([
      { cost_usd: 0.002, charged_usd: 0, state: 'settled', flags: ['failed'] },
      { cost_usd: 0.002, charged_usd: 0.002, state: 'settled' },
    ])
    expect((await admin('GET', '/budgets/all')).body).toMatchObject({ spent_usd: 0.004, held_usd: 0 })
  },
)
