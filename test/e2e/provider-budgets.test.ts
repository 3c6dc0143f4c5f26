import { expect, it } from 'vitest'
import { openGateway } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

/** Less than the input of the answer below costs, and more than the body of a short request can cost. */
const more = `budgets: [{ name: all, scope: installation, limit_usd: 0.05, window: month, mode: exact, at_limit: refuse }]
models: { m: { price: { input: 1, output: 1 } } }
`
const answer = (inputTokens: number) =>
  jsonAnswer({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Found.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: 2 },
  })

const asked = { model: 'm', max_tokens: 10 }
const question = { ...asked, messages: [{ role: 'user', content: 'What is new?' }] }
const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 1 }

/** Asks once. Returns the status, and the number of requests at the provider. */
async function ask(body: object, inputTokens: number, limits = more): Promise<readonly number[]> {
  await using open = await openGateway({ scripts: [answer(inputTokens)], format: 'messages', more: limits })
  const { status } = await fetch(`${open.gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': testKey, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(body),
  })
  return [status, open.upstreams[0]?.requests.length ?? 0]
}

it('an exact budget reserves the possible cost of the results of provider tools', async () => {
  expect(await ask(question, 20)).toEqual([200, 1])
  expect(await ask({ ...question, tools: [{ name: 'f', input_schema: { type: 'object' } }] }, 20)).toEqual([
    200, 1,
  ])
  expect(await ask({ ...question, tools: [search] }, 100_000)).toEqual([429, 0])
})

it('an exact budget reserves the cost of all of a long body if the model has no known window', async () => {
  const long = { ...asked, messages: [{ role: 'user', content: 'a '.repeat(1_000_000) }] }
  const ofTwoDollars = more.replace('0.05', '1.5')
  expect(await ask(long, 2_000_000, ofTwoDollars)).toEqual([429, 0])
})
