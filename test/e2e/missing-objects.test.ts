import { expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const user = { role: 'user', content: 'Hi' }
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
const openai = (message: string) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null },
})

const gemini = {
  format: 'gemini',
  path: '/v1beta/models/m:generateContent',
  asked: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  answer: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP', index: 0 }],
  },
} as const
const responses = {
  format: 'responses',
  path: '/v1/responses',
  asked: { model: 'm', input: 'Hi', store: false },
  answer: {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: 'completed',
    output: [
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
      },
    ],
    usage,
  },
} as const
const chat = {
  format: 'chat',
  path: '/v1/chat/completions',
  asked: { model: 'm', messages: [user] },
  answer: {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  },
} as const
const messages = {
  format: 'messages',
  path: '/v1/messages',
  asked: { model: 'm', max_tokens: 9, messages: [user] },
  answer: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage,
  },
} as const

const denied = (message: string) => ({ error: { code: 403, message, status: 'PERMISSION_DENIED' } })
const file = {
  role: 'user',
  parts: [{ fileData: { fileUri: 'https://x.test/files/evil', mimeType: 'text/plain' } }],
}

const cases = [
  [
    gemini,
    { cachedContent: 'cachedContents/evil' },
    403,
    denied('CachedContent not found (or permission denied)'),
  ],
  [
    gemini,
    { cachedContent: 'cachedContents/evil' },
    404,
    { error: { code: 404, message: 'Requested entity was not found.', status: 'NOT_FOUND' } },
  ],
  [
    gemini,
    { contents: [file] },
    403,
    denied('You do not have permission to access the File evil or it may not exist.'),
  ],
  [gemini, { contents: [file] }, 403, denied('The caller does not have permission')],
  [responses, { conversation: 'conv_evil' }, 404, openai("Conversation with id 'conv_evil' not found.")],
  [responses, { prompt: { id: 'pmpt_evil' } }, 404, openai("Prompt with id 'pmpt_evil' not found.")],
  [responses, { tools: [{ type: 'file_search', vector_store_ids: ['evil'] }] }, 404, openai('Not here.')],
  [
    chat,
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-evil' } }] }] },
    404,
    openai('No such File object: file-evil'),
  ],
  [
    messages,
    { container: 'evil' },
    404,
    { type: 'error', error: { type: 'not_found_error', message: 'Not found' } },
  ],
] as const

it.each(cases)(
  'a missing object of one caller takes no channel out of service for others: %#',
  async (kind, evil, status, error) => {
    await using upstream = await openScriptedUpstream(({ body }) =>
      body.includes('evil') ? jsonAnswer(error, status) : jsonAnswer(kind.answer),
    )
    const position = { format: kind.format, origin: upstream.origin, models: ['m'] }
    await using gateway = await startGateway(
      channelYaml(
        { ...position, name: 'a', more: 'priority: 2\n    allow_fields: [conversation, cached_content]' },
        { ...position, name: 'b', more: 'priority: 1\n    allow_fields: [conversation, cached_content]' },
      ),
    )
    const post = (body: object) =>
      fetch(gateway.url + kind.path, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const refused = await post({ ...kind.asked, ...evil })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { message: error.error.message } })
    expect(upstream.requests.length).toBe(1)
    const served = await post(kind.asked)
    expect([served.status, served.headers.get('x-headgate-channel')]).toEqual([200, 'a'])
    const health = await createAskAdmin(gateway.url)('GET', '/health')
    expect(health.status).toBe(200)
    expect(JSON.stringify(health.body)).not.toMatch(/model-missing|refused/)
  },
)
