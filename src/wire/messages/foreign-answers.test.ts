import { describe, expect, it } from 'vitest'
import type { Reply } from '../../canonical/reply.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import { noUsage } from '../../canonical/usage.ts'
import { isJsonArray, isJsonObject } from '../../kit/json/json.ts'
import { writeRequest as writeChatRequest } from '../chat/request/write-request.ts'
import { defaultDialect } from '../dialect.ts'
import { writeReply } from './reply/write-reply.ts'
import { readRequest } from './request/read-request.ts'
import { writeRequest } from './request/write-request.ts'

const reply: Reply = {
  id: 'chatcmpl-1',
  model: 'kimi-k2',
  choices: [
    {
      content: [
        { type: 'thinking', text: 'Hm.' },
        { type: 'text', text: 'So.', citations: [{ url: 'https://a.example/', title: 'A' }] },
        { type: 'tool-call', id: 'functions.f:0', name: 'f', kind: 'function', input: '{}' },
      ],
      stopReason: 'tool-calls',
    },
  ],
  usage: noUsage,
}

/** The request that follows when the caller returns the answer unchanged, with a result for its call. */
function followUp(): ChatRequest {
  const { content } = writeReply(reply).value
  if (!isJsonArray(content)) throw new Error('no content')
  const call = content.find((block) => isJsonObject(block) && block['type'] === 'tool_use')
  const id = isJsonObject(call) ? String(call['id']) : ''
  return readRequest({
    model: 'm',
    max_tokens: 99,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: '4' }] },
    ],
  })
}

describe('an answer of a chat channel', () => {
  it('has marks if the format requires a proof, and calls with ids in the format’s letters', () => {
    expect(writeReply(reply).value['content']).toMatchObject([
      { type: 'thinking', thinking: 'Hm.', signature: '~headgate.2.unsigned' },
      { citations: [{ url: 'https://a.example/', encrypted_index: '~headgate.2.unsigned' }] },
      { type: 'tool_use', id: 'hg_ZnVuY3Rpb25zLmY6MA' },
    ])
  })

  it('comes back to a chat channel unchanged', () => {
    const dialect = { ...defaultDialect, reasoningReplay: 'reasoning_content' } as const
    expect(writeChatRequest(followUp(), { model: 'kimi-k2', dialect }).value['messages']).toMatchObject([
      {},
      { reasoning_content: 'Hm.', content: 'So.', tool_calls: [{ id: 'functions.f:0' }] },
      { role: 'tool', tool_call_id: 'functions.f:0' },
    ])
  })

  it('goes to the format’s own provider without the parts that it would refuse, declared', () => {
    const { value, losses } = writeRequest(followUp(), { model: 'claude', dialect: defaultDialect })
    expect(value['messages']).toEqual([
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'So.' },
          { type: 'tool_use', id: expect.stringMatching(/^functions_f_0_\w{8}$/), name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: expect.stringMatching(/^functions_f_0_\w{8}$/), content: '4' },
        ],
      },
    ])
    expect(losses.map(({ feature, kind }) => `${feature} ${kind}`)).toEqual([
      'thinking dropped',
      'citations dropped',
    ])
  })
})
