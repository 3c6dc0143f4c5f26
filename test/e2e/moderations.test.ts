import OpenAI from 'openai'
import { describe, expect, it, test } from 'vitest'
import { fieldsOf } from '../support/judged.ts'
import { openaiOf, openGateway } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const verdict = {
  id: 'modr-1',
  model: 'omni-moderation-latest',
  results: [
    {
      flagged: true,
      categories: { violence: true },
      category_scores: { violence: 0.98 },
      category_applied_input_types: { violence: ['text'] },
    },
  ],
}

const openOpenai = (
  script: Parameters<typeof openGateway>[0]['scripts'][number] = () => jsonAnswer(verdict),
) =>
  openGateway({
    scripts: [script],
    provider: 'openai',
    upstreamModel: 'omni-moderation-2024-09-26',
    models: [],
  })

describe('the OpenAI SDK requesting a moderation', () => {
  it.each([
    ['a text', 'Hit them.'],
    ['texts', ['one', 'two']],
    ['a picture', [{ type: 'image_url' as const, image_url: { url: 'https://example.com/a.png' } }]],
  ])('on %s sends it unchanged, and gets the answer unchanged', async (_what, input) => {
    await using open = await openOpenai()
    const answer = await openaiOf(open).moderations.create({ model: 'm', input })
    expect(answer).toEqual(verdict)
    const sent = open.upstreams[0]?.requests[0]
    expect([sent?.path, JSON.parse(sent?.body.toString() ?? '')]).toEqual([
      '/v1/moderations',
      { model: 'omni-moderation-2024-09-26', input },
    ])
  })

  it('without a model gets the default model of OpenAI', async () => {
    await using open = await openGateway({
      scripts: [() => jsonAnswer(verdict)],
      provider: 'openai',
      models: ['omni-moderation-latest'],
    })
    await openaiOf(open).moderations.create({ input: 'Hi' })
    expect(JSON.parse(open.upstreams[0]?.requests[0]?.body.toString() ?? '')).toEqual({
      model: 'omni-moderation-latest',
      input: 'Hi',
    })
  })

  it('costs nothing, though its key has a budget', async () => {
    const secret = 'sk-budget-0123456789abcdef'
    await using open = await openGateway({
      scripts: [() => jsonAnswer(verdict)],
      provider: 'openai',
      upstreamModel: 'omni-moderation-2024-09-26',
      more: `keys: [{ name: k, secret: ${secret}, models: ["*"], budgets: [{ limit_usd: 0.001, window: month, mode: exact }] }]\n`,
    })
    const client = new OpenAI({ baseURL: `${open.gateway.url}/v1`, apiKey: secret, maxRetries: 0 })
    const { response } = await client.moderations.create({ model: 'm', input: 'Hi' }).withResponse()
    expect(response.headers.get('x-headgate-cost')).toBe('0')
  })
})

test.each([
  ['no results', { id: 'modr-1', model: 'm', results: [] }],
  ['an error under a good status', { error: { message: 'No.', code: 'server_error' } }],
  ['a text', 'fine'],
])('an answer with %s is an invalid moderation', async (_what, wrong) => {
  await using open = await openOpenai(() => jsonAnswer(wrong))
  const failure = await openaiOf(open)
    .moderations.create({ model: 'm', input: 'Hi' })
    .catch((error: unknown) => error)
  expect(failure).toMatchObject({ status: 502 })
})

test('a channel without moderations refuses, and so does a body without input', async () => {
  await using open = await openGateway({ scripts: [() => jsonAnswer(verdict)], provider: 'groq' })
  const ask = async (body: object) => {
    const answer = await fetch(`${open.gateway.url}/v1/moderations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return fieldsOf(fieldsOf(await answer.json())['error'])
  }
  expect(await ask({ model: 'm', input: 'Hi' })).toMatchObject({ code: 'operation_not_supported' })
  expect(await ask({ model: 'm' })).toMatchObject({ code: 'missing_field', param: 'input' })
})
