import { expect, it } from 'vitest'
import { openGateway } from '../support/open-gateway.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }

const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: deep } }

const asked = {
  '/v1/chat/completions': {
    body: {
      model: 'm',
      messages: [
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'a gate' },
      ],
    },
    param: 'messages[1].tool_calls[0].function.arguments',
  },
  '/v1/responses': {
    body: {
      model: 'm',
      store: false,
      input: [
        { role: 'user', content: 'Look.' },
        { type: 'function_call', call_id: 'call_1', name: 'look', arguments: deep },
        { type: 'function_call_output', call_id: 'call_1', output: 'a gate' },
      ],
    },
    param: 'input[1].arguments',
  },
} as const

const paths = ['/v1/chat/completions', '/v1/responses'] as const
const channels = ['gemini', 'converse', 'messages'] as const

it.each(paths.flatMap((path) => channels.map((channel) => [path, channel] as const)))(
  'arguments of %s that are nested too deep are refused for a %s channel, and the error names them',
  async (path, format) => {
    await using open = await openGateway({
      scripts: [jsonAnswer({})],
      format,
      ...(format === 'converse' ? { provider: 'bedrock' } : {}),
    })
    const { body, param } = asked[path]
    const answer = await fetch(open.gateway.url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { code: 'json_too_deep', param } })
    expect(open.upstreams[0]?.requests).toHaveLength(0)
  },
)

const head = { id: 'c1', created: 1, model: 'm' }
const streamed = [
  {
    ...head,
    object: 'chat.completion.chunk',
    choices: [
      { index: 0, delta: { role: 'assistant', tool_calls: [{ index: 0, ...call }] }, finish_reason: null },
    ],
  },
  {
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }],
  },
].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
const whole = {
  ...head,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: null, tool_calls: [call] },
      finish_reason: 'tool_calls',
    },
  ],
}

const geminiBody = { contents: [{ role: 'user', parts: [{ text: 'Look.' }] }] }
const messagesBody = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Look.' }] }

it.each([
  ['/v1beta/models/m:generateContent', geminiBody],
  ['/v1beta/models/m:streamGenerateContent?alt=sse', geminiBody],
  ['/v1/messages', messagesBody],
  ['/v1/messages', { ...messagesBody, stream: true }],
])('arguments from a model that are nested too deep are not a gateway fault at %s', async (path, body) => {
  const isStream = path.includes('stream') || 'stream' in body
  const script = isStream ? sseAnswer([...streamed, 'data: [DONE]\n\n']) : jsonAnswer(whole)
  await using open = await openGateway({ scripts: [script] })
  const answer = await fetch(open.gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  // A stream that has shown something is cut after its error.
  let text = ''
  try {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString('utf8')
  } catch (error) {
    expect(text).toContain('arguments are not a JSON object')
    expect(error).toMatchObject({ message: 'terminated' })
  }
  expect(text).not.toBe('')
  expect(text).not.toContain('internal')
  expect(text).not.toContain('Something in the gateway failed')
  // A stream of the Gemini format shows a call once it is whole, and this one never is.
  expect(answer.status).toBe('stream' in body ? 200 : 502)
})
