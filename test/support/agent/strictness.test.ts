import { describe, expect, it } from 'vitest'
import { Refusal } from './conversation.ts'
import { readChatConversation } from './read-chat-conversation.ts'
import { readMessagesConversation } from './read-messages-conversation.ts'

const user = { role: 'user', content: 'Hi' }
const parameters = { type: 'object', properties: {} }

describe('the strict upstream of the chat format', () => {
  const call = (id: string, input: unknown = '{}') => ({
    id,
    type: 'function',
    function: { name: 'read', arguments: input },
  })
  const calling = { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] }
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' })
  const tools = [{ type: 'function', function: { name: 'read', parameters } }]
  const base = { model: 'm', messages: [user] }
  const outputFormat = (more: object) => ({
    type: 'json_schema',
    json_schema: { name: 'n', schema: parameters, ...more },
  })

  it('reads rounds of calls and their results', () => {
    const messages = [user, calling, result('b'), result('a'), { role: 'user', content: 'Go on' }]
    const { rounds } = readChatConversation({ ...base, tools, messages })
    expect(rounds).toHaveLength(1)
    expect(rounds[0]?.results.map(({ callId }) => callId)).toEqual(['b', 'a'])
  })

  it('reads the schema of the answer, which need not be strict', () => {
    const body = { ...base, response_format: outputFormat({}) }
    expect(readChatConversation(body).outputSchema).toEqual(parameters)
  })

  it.each<[string, object]>([
    ['a call without its result', { messages: [user, calling, result('a')] }],
    ['a result of no call', { messages: [user, calling, result('a'), result('b'), result('c')] }],
    ['a result in the wrong place', { messages: [user, result('a')] }],
    ['a turn between call and result', { messages: [user, calling, user, result('a'), result('b')] }],
    [
      'arguments as an object',
      { messages: [user, { ...calling, tool_calls: [call('a', {})] }, result('a')] },
    ],
    [
      'arguments that are not JSON',
      { messages: [user, { ...calling, tool_calls: [call('a', '{')] }, result('a')] },
    ],
    ['no tool calls in the list', { messages: [{ role: 'assistant', content: null, tool_calls: [] }] }],
    ['an assistant turn of nothing', { messages: [user, { role: 'assistant', content: null }] }],
    ['an unknown role', { messages: [{ role: 'model', content: 'Hi' }] }],
    ['an unknown kind of content', { messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] }],
    [
      'an unknown field of a part',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: {} }] }] },
    ],
    ['no messages', { messages: [] }],
    ['no tools in the list', { tools: [] }],
    ['a tool choice without tools', { tool_choice: 'auto' }],
    ['parallel calls without tools', { parallel_tool_calls: true }],
    ['options of a stream without a stream', { stream_options: { include_usage: true } }],
    ['a strict schema that leaves an object open', { response_format: outputFormat({ strict: true }) }],
    ['a schema without a name', { response_format: outputFormat({ name: undefined }) }],
    ['an unknown field', { thinking: {} }],
    ['both limits', { max_tokens: 1, max_completion_tokens: 1 }],
  ])('refuses %s', (_case, more) => {
    expect(() => readChatConversation({ ...base, ...more })).toThrow(Refusal)
  })
})

describe('the strict upstream of the messages format', () => {
  const use = (id: string) => ({ type: 'tool_use', id, name: 'read', input: {} })
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })
  const calling = { role: 'assistant', content: [use('a'), use('b')] }
  const answering = (...ids: readonly string[]) => ({ role: 'user', content: ids.map(result) })
  const base = { model: 'm', max_tokens: 10, messages: [user] }
  const marked = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }

  it('reads rounds whose results arrive in separate turns', () => {
    const messages = [user, calling, answering('b'), answering('a')]
    expect(readMessagesConversation({ ...base, messages }, '').rounds[0]?.results).toHaveLength(2)
  })

  it('accepts a budget as large as the limit if thinking may occur between calls', () => {
    const thinking = { type: 'enabled', budget_tokens: 2_000 }
    const body = { ...base, max_tokens: 2_000, thinking, tools: [] }
    expect(() => readMessagesConversation(body, '')).toThrow(Refusal)
    expect(readMessagesConversation(body, 'interleaved-thinking-2025-05-14').wantsThinking).toBe(true)
  })

  it('accepts a field of a beta only together with the beta’s name', () => {
    const body = { ...base, context_management: {} }
    expect(() => readMessagesConversation(body, '')).toThrow(Refusal)
    expect(readMessagesConversation(body, 'a-1,context-management-2025-06-27').model).toBe('m')
  })

  it.each<[string, object]>([
    ['a call without its result', { messages: [user, calling, answering('a')] }],
    ['calls at the end', { messages: [user, calling] }],
    ['a result of no call', { messages: [user, calling, answering('a', 'b', 'c')] }],
    [
      'a thought that is not its own',
      {
        messages: [
          user,
          { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 'y' }] },
        ],
      },
    ],
    ['text of white space', { messages: [{ role: 'user', content: [{ type: 'text', text: ' \n' }] }] }],
    [
      'five cache marks',
      { system: [marked, marked], messages: [{ role: 'user', content: [marked, marked, marked] }] },
    ],
    ['an assistant who begins', { messages: [{ role: 'assistant', content: 'Hi' }] }],
    ['an unknown field', { stream_options: {} }],
    ['a null field', { system: null }],
    ['metadata other than the user', { metadata: { session: 'x' } }],
    [
      'thinking with a forced tool',
      { thinking: { type: 'adaptive' }, tool_choice: { type: 'any' }, tools: [] },
    ],
    [
      'a schema that leaves an object open',
      { output_config: { format: { type: 'json_schema', schema: parameters } } },
    ],
    ['a tool choice without tools', { tool_choice: { type: 'auto' } }],
    ['thinking with another temperature', { thinking: { type: 'adaptive' }, temperature: 0.5 }],
    [
      'a budget that leaves no room',
      { thinking: { type: 'enabled', budget_tokens: 2_000 }, max_tokens: 2_000 },
    ],
    ['no limit', { max_tokens: undefined }],
    ['a thread', { thread: { type: 'create' } }],
  ])('refuses %s', (_case, more) => {
    expect(() => readMessagesConversation({ ...base, ...more }, '')).toThrow(Refusal)
  })
})
