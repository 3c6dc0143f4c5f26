import { describe, expect, it } from 'vitest'
import { openGateway } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const callers = {
  chat: {
    path: '/v1/chat/completions',
    body: '"messages":[{"role":"user","content":"hi"}]',
    error: { error: { type: 'invalid_request_error', code: 'invalid_json' } },
  },
  messages: {
    path: '/v1/messages',
    body: '"max_tokens":8,"messages":[{"role":"user","content":"hi"}]',
    error: { type: 'error', error: { type: 'invalid_request_error' } },
  },
  responses: {
    path: '/v1/responses',
    body: '"store":false,"input":[{"role":"user","content":"hi"}]',
    error: { error: { type: 'invalid_request_error', code: 'invalid_json' } },
  },
  gemini: {
    path: '/v1beta/models/m:generateContent',
    body: '"contents":[{"role":"user","parts":[{"text":"hi"}]}]',
    error: { error: { code: 400, status: 'INVALID_ARGUMENT' } },
  },
  'ollama-chat': {
    path: '/api/chat',
    body: '"messages":[{"role":"user","content":"hi"}]',
    error: { error: expect.any(String), code: 'invalid_json' },
  },
  'bedrock-converse': {
    path: '/model/m/converse',
    body: '"messages":[{"role":"user","content":[{"text":"hi"}]}]',
    error: { message: expect.any(String), code: 'invalid_json' },
  },
} as const

/** As the value of a member whose meaning nobody looks at. */
const malformedValues = [
  ...[
    '[1 2]',
    '{"a" 1}',
    '[01]',
    '[+1]',
    '["\\x"]',
    '["a\u0000b"]',
    '["a\nb"]',
    "['a']",
    '[Infinity]',
    '[1,]',
    '{"a":1,}',
  ],
  '[,1]',
  '[1,,2]',
  '[NaN]',
  '[-]',
  '[1.]',
  '[.5]',
  '[1e]',
  '[0x1]',
  '[tru]',
  '[True]',
  '[nulll]',
  '["\\u12"]',
  '{a:1}',
  '{"a":}',
  '{"a"}',
  '{1:1}',
  '[1/**/]',
  '[1]//\n',
  '[undefined]',
  '["a" "b"]',
  '{"a":1;"b":2}',
]

/** A reader that knows comments takes what lies between them for a string's inside, and the other way round. */
function hideMembers(inner: string): string {
  return `{"model":"m",${inner},"x":[/*"*/1],"model":"cm2","previous_response_id":"resp_of_another","y":[/*"*/2]}`
}

/** Callers of the last two are translated, for channels of any format. */
const formats = [
  ['chat', 'chat'],
  ['messages', 'messages'],
  ['responses', 'responses'],
  ['gemini', 'gemini'],
  ['ollama-chat', 'chat'],
  ['bedrock-converse', 'converse'],
] as const

describe.each(formats)('an invalid JSON body of a %s request', (caller, format) => {
  const { path, body, error } = callers[caller]
  const bodies = [hideMembers(body), ...malformedValues.map((value) => `{"model":"m",${body},"x":${value}}`)]

  it('is refused in the format of the caller, and never forwarded', async () => {
    await using open = await openGateway({
      scripts: [() => jsonAnswer({ error: { message: 'This must not be asked.' } })],
      format,
    })
    expect(bodies.length).toBe(33)
    for (const text of bodies) {
      const answer = await fetch(`${open.gateway.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
        body: text,
      })
      expect(answer.status, text).toBe(400)
      expect(await answer.json(), text).toMatchObject(error)
    }
    expect(open.upstreams[0]?.requests).toEqual([])
  })
})
