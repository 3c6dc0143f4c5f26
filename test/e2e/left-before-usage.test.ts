import { expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { openScriptedUpstream, type ScriptedAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })}\n\n`

const content = chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' } }] })
const stop = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
/** Almost all of the output is reasoning that no caller is shown. */
const usage = chunk({
  choices: [],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 5_000,
    total_tokens: 5_010,
    completion_tokens_details: { reasoning_tokens: 4_998 },
  },
})

/**
 * The row of a caller that disconnects once it has read `last`, from an upstream that goes on only after the gateway
 * has seen that.
 */
async function leaveAfter(
  last: string,
  chunks: (hasLeft: Promise<void>) => ScriptedAnswer['chunks'] & object,
) {
  const { promise: hasLeft, resolve: leave } = Promise.withResolvers<void>()
  await using upstream = await openScriptedUpstream(sseAnswer(chunks(hasLeft)))
  await using gateway = await startGateway(`
channels:
  - { name: c, provider: openai-compatible, base_url: "${upstream.origin}/v1", allow_private: true, api_key: k-0123456789, models: [m] }
models: { m: { price: { input: 1, output: 2 } } }
`)
  const leaving = new AbortController()
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    signal: leaving.signal,
  })
  let read = ''
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  while (!read.includes(last)) read += (await reader?.read())?.value ?? ''
  leaving.abort()
  // The gateway reads the end of a connection before requests that come later.
  for (let times = 0; times < 3; times += 1) await (await fetch(`${gateway.url}/healthz`)).text()
  leave()
  const admin = createAskAdmin(gateway.url)
  const rows = async () => listOf(fieldsOf((await admin('GET', '/ledger')).body)['data']).map(fieldsOf)
  await expect.poll(async () => (await rows()).length).toBe(1)
  const [row = {}] = await rows()
  const { state, cost_usd, usage: counted } = row
  return { state, cost: cost_usd, output: fieldsOf(counted)['output_tokens'] }
}

it('a caller that leaves between the end of a stream and its usage is charged by the usage', async () => {
  needsOneProcess('another process may answer the requests that come later')
  const row = await leaveAfter('"stop"', (hasLeft) => [content, stop, hasLeft, usage, 'data: [DONE]\n\n'])
  expect(row).toEqual({ state: 'settled', cost: 0.010_01, output: 5_000 })
})

it('a caller that leaves before the end of a stream is charged by an estimate of what it was shown', async () => {
  needsOneProcess('another process may answer the requests that come later')
  const row = await leaveAfter('Hello', (hasLeft) => [content, hasLeft, stop, usage, 'data: [DONE]\n\n'])
  expect(row).toMatchObject({ state: 'estimated', output: 2 })
})
