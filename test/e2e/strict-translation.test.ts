import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FormatId } from '../../src/canonical/format.ts'
import { operationPaths } from '../support/ask.ts'
import { type OpenGateway, openGateway } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const claudes = [
  'claude-3-5-haiku-latest',
  'claude-sonnet-4-5',
  'claude-opus-4-6',
  'claude-opus-5',
  'claude-opus-5-5',
]
const messagesAnswer = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Yes.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
}
const chatAnswer = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}

const hello = { role: 'user', content: 'Hi' }
const parameters = { type: 'object', properties: {}, additionalProperties: false }
const tool = { type: 'function', function: { name: 'f', parameters } }
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
const said = (...content: readonly object[]) => ({ messages: [{ role: 'user', content }] })
const talk = (...messages: readonly object[]) => ({ messages: [hello, ...messages] })

type Case = readonly [param: string, body: object, model?: string]

/** The losses of a chat caller on a channel of the messages format, under the caller's own names. */
const chatCases: readonly Case[] = [
  ['seed', { seed: 1 }],
  ['presence_penalty', { presence_penalty: 0.5 }],
  ['frequency_penalty', { frequency_penalty: 0.5 }],
  ['logprobs', { logprobs: true }],
  ['logit_bias', { logit_bias: { '1': 1 } }],
  ['verbosity', { verbosity: 'low' }],
  ['temperature', { temperature: 1.5 }],
  ['temperature', { temperature: 0.5 }, 'claude-opus-5'],
  ['temperature', { temperature: 0.5, reasoning_effort: 'high' }, 'claude-opus-4-6'],
  ['top_p', { top_p: 0.5 }, 'claude-opus-5'],
  ['top_p', { temperature: 0.5, top_p: 0.5 }, 'claude-sonnet-4-5'],
  ['top_k', { top_k: 5 }, 'claude-opus-5'],
  ['stop', { stop: ['\n'] }],
  ['service_tier', { service_tier: 'flex' }],
  ['response_format', { response_format: { type: 'json_object' } }],
  [
    'response_format',
    { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: parameters } } },
    'claude-3-5-haiku-latest',
  ],
  ['reasoning_effort', { reasoning_effort: 'minimal' }],
  ['reasoning_effort', { reasoning_effort: 'high' }, 'claude-3-5-haiku-latest'],
  ['reasoning_effort', { reasoning_effort: 'none' }, 'claude-opus-5-5'],
  ['max_completion_tokens', { max_completion_tokens: 9000 }, 'claude-3-5-haiku-latest'],
  ['store', { store: true }],
  ['prediction', { prediction: { type: 'content', content: 'x' } }],
  ['n', { n: 2 }],
  [
    'tools.function.strict',
    { tools: [{ ...tool, function: { ...tool.function, strict: true } }] },
    'claude-3-5-haiku-latest',
  ],
  ['tools.function.name', { tools: [{ type: 'function', function: { name: 'a.b', parameters } }] }],
  ['tools.function.timeout', { tools: [{ type: 'function', function: { ...tool.function, timeout: 1 } }] }],
  ['tools.custom', { tools: [{ type: 'custom', custom: { name: 'sql' } }] }],
  ['tools.type', { tools: [{ type: 'web_search' }] }],
  ['tool_choice', { tools: [tool], tool_choice: 'required' }, 'claude-opus-5-5'],
  ['tool_choice', { tool_choice: 'required' }],
  [
    'tool_choice.allowed_tools',
    {
      tools: [tool],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool] } },
    },
  ],
  ['messages.name', { messages: [{ ...hello, name: 'ann' }] }],
  ['messages.role', talk({ role: 'system', content: 'Now.' }, hello), 'claude-sonnet-4-5'],
  ['messages', talk({ role: 'assistant', content: 'Well,' }), 'claude-opus-4-6'],
  ['messages', { messages: [{ role: 'assistant', content: 'Hello!' }, hello] }],
  ['messages.refusal', talk({ role: 'assistant', content: null, refusal: 'No.' }, hello)],
  ['messages.reasoning_content', talk({ role: 'assistant', content: 'a', reasoning_content: 'Hm.' }, hello)],
  ['messages.content', talk({ role: 'tool', tool_call_id: 'x', content: 'r' })],
  [
    'messages.tool_calls.function.arguments',
    talk(
      { role: 'assistant', tool_calls: [{ ...call, function: { name: 'f', arguments: '{' } }] },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
    ),
  ],
  ['messages.prefix', talk({ role: 'assistant', content: 'a', prefix: true }, hello)],
  [
    'messages.content.image_url.detail',
    said({ type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } }),
  ],
  [
    'messages.content.input_audio',
    said({ type: 'text', text: 'Hi' }, { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }),
  ],
  [
    'messages.content.video_url',
    said(
      { type: 'text', text: 'Hi' },
      { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
    ),
  ],
]

/** The losses of a messages caller on a channel of the chat format. */
const messagesCases: readonly Case[] = [
  ['top_k', { top_k: 5 }],
  ['thinking', { max_tokens: 5000, thinking: { type: 'adaptive' } }],
  ['container', { container: 'c' }],
  ['tools.web_search_20250305', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
  [
    'messages.content.thinking',
    talk(
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'a', signature: '' },
          { type: 'text', text: 'b' },
        ],
      },
      hello,
    ),
  ],
  [
    'messages.content.tool_result.is_error',
    talk(
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'r', is_error: true }] },
    ),
  ],
  ['cache_control', { system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }] }],
]

const items = (...input: readonly object[]) => ({ input: [hello, ...input] })
const responsesTool = { type: 'function', name: 'f', parameters, strict: false }

/** The losses of a responses caller on a channel of the messages format. */
const responsesCases: readonly Case[] = [
  ['metadata', { metadata: { a: 'b' } }],
  ['max_tool_calls', { max_tool_calls: 2 }],
  ['temperature', { temperature: 1.5 }],
  ['top_p', { temperature: 0.5, top_p: 0.5 }, 'claude-sonnet-4-5'],
  ['top_logprobs', { top_logprobs: 2, include: ['message.output_text.logprobs'] }],
  ['text.verbosity', { text: { verbosity: 'low' } }],
  ['text.format', { text: { format: { type: 'json_object' } } }],
  ['reasoning.effort', { reasoning: { effort: 'minimal' } }],
  ['service_tier', { service_tier: 'flex' }],
  ['tools.type.web_search', { tools: [{ type: 'web_search' }] }],
  ['tools', { tools: [{ type: 'custom', name: 'sql' }] }],
  ['tools.name', { tools: [{ ...responsesTool, name: 'a.b' }] }],
  ['tool_choice', { tool_choice: 'required' }],
  ['input.type.web_search_call', items({ type: 'web_search_call', id: 'w', status: 'completed' }, hello)],
  [
    'input.content.input_image.detail',
    {
      input: [
        {
          role: 'user',
          content: [{ type: 'input_image', image_url: 'https://a.example/b.png', detail: 'low' }],
        },
      ],
    },
  ],
]

interface Plan {
  readonly to: FormatId
  readonly answer: object
  readonly cases: readonly Case[]
  /** The fields that every request of the format must have. */
  readonly base: object
}

const talking = { max_tokens: 64, messages: [hello] }
const plans: Readonly<Record<'chat' | 'messages' | 'responses', Plan>> = {
  chat: { to: 'messages', answer: messagesAnswer, cases: chatCases, base: talking },
  messages: { to: 'chat', answer: chatAnswer, cases: messagesCases, base: talking },
  responses: {
    to: 'messages',
    answer: messagesAnswer,
    cases: responsesCases,
    base: { max_output_tokens: 64, input: [hello] },
  },
}

describe.each(['chat', 'messages', 'responses'] as const)(
  'a request of the %s format on a channel of another',
  (from) => {
    const { to, answer, cases, base } = plans[from]
    let open: OpenGateway
    beforeAll(async () => {
      open = await openGateway({ format: to, models: claudes, scripts: [jsonAnswer(answer)] })
    })
    afterAll(() => open[Symbol.asyncDispose]())

    async function send(body: object, headers: Record<string, string>): Promise<Response> {
      return fetch(`${open.gateway.url}${operationPaths[from]}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ ...base, ...body }),
      })
    }

    for (const [param, body, model = 'm'] of cases) {
      it(`that would lose "${param}" is refused under strict translation: ${JSON.stringify(body)}`, async () => {
        // The two names of the cap must agree.
        const cap = Object.hasOwn(body, 'max_completion_tokens') ? { max_tokens: undefined } : {}
        const asked = { model, ...cap, ...body }
        const before = open.upstreams[0]?.requests.length
        const refused = await send(asked, { 'x-headgate-strict': '1' })
        expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param } }])
        expect(open.upstreams[0]?.requests.length).toBe(before)
        if (param !== 'n') expect(await lossOf(asked)).toContain('=')
      })
    }

    async function lossOf(body: object): Promise<string> {
      const answered = await send(body, {})
      expect(answered.status, await answered.text()).toBe(200)
      return answered.headers.get('x-headgate-loss') ?? ''
    }

    it('that loses nothing passes, except for fields that the channel requires and the caller omitted', async () => {
      const answered = await send({ model: 'm', temperature: 0.5 }, { 'x-headgate-strict': '1' })
      expect([answered.status, answered.headers.get('x-headgate-loss')]).toEqual([200, null])
      const developer = { role: 'developer', content: 'Be brief.' }
      const plain = {
        chat: { model: 'claude-opus-5', max_tokens: undefined, messages: [developer, hello] },
        messages: { model: 'm', system: 'Be brief.' },
        responses: { model: 'claude-opus-5', max_output_tokens: undefined, input: [developer, hello] },
      }
      expect((await send(plain[from], { 'x-headgate-strict': '1' })).status).toBe(200)
    })
  },
)
