import { expect, it } from 'vitest'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]

function responseOf(status: string, text: string) {
  const content = [{ type: 'output_text', text, annotations: [] }]
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status, content }
  const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 }
  return { id: 'resp_1', object: 'response', created_at: 7, model: 'up', status, output: [item], usage }
}

const unfinished = responseOf('in_progress', 'The first half')

/** A gateway whose model is first served by the unfinished answer, and then by the channels in `more`. */
async function open(more = '') {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openScriptedUpstream(jsonAnswer(unfinished)))
  const gateway = cleanup.use(
    await startGateway(
      `channels:\n- { name: first, priority: 2, provider: openai, format: responses, base_url: "${upstream.origin}", allow_private: true, api_key: k, models: [m] }\n${more}retry: { same_target: 0 }\n`,
    ),
  )
  const open = cleanup.move()
  return {
    ask: (path: string, body: object) =>
      fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

const callers = [
  ['/v1/chat/completions', { model: 'm', messages }],
  ['/v1/chat/completions', { model: 'm', messages, stream: true }],
  ['/v1/messages', { model: 'm', max_tokens: 9, messages }],
  ['/v1beta/models/m:generateContent', { contents }],
] as const

it.each(callers)(
  'an answer that the provider still writes is an error to a caller of %s, %j',
  async (path, body) => {
    await using gateway = await open()
    const response = await gateway.ask(path, body)
    const { error } = JSON.parse(await response.text())
    expect([response.status, error?.message]).toEqual([
      502,
      'The model provider sent an answer that is not finished: its status is "in_progress".',
    ])
  },
)

it('another channel answers where the provider of the first still writes its answer', async () => {
  const whole = responseOf('completed', 'All of it')
  await using other = await openScriptedUpstream(jsonAnswer(whole))
  await using gateway = await open(
    `- { name: second, priority: 1, provider: openai, format: responses, base_url: "${other.origin}", allow_private: true, api_key: k, models: [m] }\n`,
  )
  const response = await gateway.ask('/v1/chat/completions', { model: 'm', messages })
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'All of it' } }] })
})

it('a caller of the responses format gets an answer in the background as the provider wrote it', async () => {
  await using gateway = await open()
  const response = await gateway.ask('/v1/responses', { model: 'm', input: 'Hi', background: true })
  expect([response.status, await response.json()]).toMatchObject([200, { status: 'in_progress' }])
})
