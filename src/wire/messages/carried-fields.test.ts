import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../kit/json/json.ts'
import { defaultDialect } from '../dialect.ts'
import { readReply } from './reply/read-reply.ts'
import { writeReply } from './reply/write-reply.ts'
import { readRequest } from './request/read-request.ts'
import * as fields from './request/request-fields.ts'
import { writeRequest } from './request/write-request.ts'

const schema = { type: 'object', properties: { city: { type: 'string' } } }
const base = { model: 'm1', max_tokens: 16, messages: [{ role: 'user', content: 'Hi' }] }

function roundTrip(body: JsonObject): JsonObject {
  const written = writeRequest(readRequest(body), { model: 'm1', dialect: defaultDialect })
  expect(written.losses).toEqual([])
  return written.value
}

const cache = { cache_control: { type: 'ephemeral', ttl: '5m' } }
const cited = [
  { type: 'char_location', cited_text: 'a', document_index: 0, document_title: 't', file_id: null },
]
const codeCaller = { type: 'code_execution_20260120', tool_id: 's1' }

/** A message with each kind of block in full, by its path. */
const blockSamples: Readonly<Record<keyof typeof fields.blockKinds, JsonObject>> = {
  text: { type: 'text', text: 'a', citations: cited, ...cache },
  image: {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'AA==' },
    transformations: { oversized_image: 'error' },
    ...cache,
  },
  document: {
    type: 'document',
    source: { type: 'content', content: [{ type: 'text', text: 'a' }] },
    title: 't',
    context: 'c',
    citations: { enabled: true },
    ...cache,
  },
  search_result: {
    type: 'search_result',
    source: 's',
    title: 't',
    content: [{ type: 'text', text: 'a' }],
    citations: { enabled: true },
    ...cache,
  },
  thinking: { type: 'thinking', thinking: 'a', signature: 's' },
  redacted_thinking: { type: 'redacted_thinking', data: 'd' },
  tool_use: {
    type: 'tool_use',
    id: 'i',
    name: 'n',
    input: { a: [1] },
    caller: codeCaller,
    toolset_name: 'x',
    ...cache,
  },
  tool_result: {
    type: 'tool_result',
    tool_use_id: 'i',
    content: [
      { type: 'text', text: 'a' },
      { type: 'tool_reference', tool_name: 'n' },
    ],
    is_error: true,
    toolset_name: 'x',
    ...cache,
  },
  advisor_tool_result: { type: 'advisor_tool_result', tool_use_id: 'i' },
  bash_code_execution_tool_result: { type: 'bash_code_execution_tool_result', tool_use_id: 'i' },
  browser_state: { type: 'browser_state' },
  code_execution_tool_result: { type: 'code_execution_tool_result', tool_use_id: 'i', content: {} },
  compaction: { type: 'compaction', content: 'c', encrypted_content: null },
  container_upload: { type: 'container_upload', file_id: 'f' },
  fallback: { type: 'fallback' },
  mcp_tool_listing: { type: 'mcp_tool_listing' },
  mcp_tool_result: { type: 'mcp_tool_result', tool_use_id: 'i' },
  mcp_tool_use: { type: 'mcp_tool_use', id: 'i', input: {} },
  server_tool_use: { type: 'server_tool_use', id: 'i', name: 'web_search', input: { query: 'q' } },
  text_editor_code_execution_tool_result: { type: 'text_editor_code_execution_tool_result' },
  tool_addition: { type: 'tool_addition', tools: [{ name: 'n' }] },
  tool_reference: { type: 'tool_reference', tool_name: 'n' },
  tool_removal: { type: 'tool_removal' },
  tool_search_tool_result: { type: 'tool_search_tool_result' },
  web_fetch_tool_result: { type: 'web_fetch_tool_result', caller: codeCaller },
  web_search_tool_result: { type: 'web_search_tool_result', content: [{ encrypted_content: 'e' }] },
}

const ofUsers = ['image', 'document', 'search_result', 'tool_result']

const wordsAfter = (spoken: JsonObject) => [spoken, { role: 'assistant', content: 'So.' }]

/** Calls and results stand together, and words follow thinking. */
const paired: Readonly<Record<string, (spoken: JsonObject) => readonly JsonObject[]>> = {
  thinking: wordsAfter,
  redacted_thinking: wordsAfter,
  tool_use: (spoken) => [
    spoken,
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'i', content: 'r' }] },
  ],
  tool_result: (spoken) => [
    { role: 'assistant', content: [{ type: 'tool_use', id: 'i', name: 'n', input: {} }] },
    spoken,
  ],
}

describe('the canonical form', () => {
  for (const [kind, block] of Object.entries(blockSamples)) {
    const role = ofUsers.includes(kind) ? 'user' : 'assistant'
    it(`carries a block of the kind ${kind}`, () => {
      const spoken = { role, content: [block] }
      const messages = [{ role: 'user', content: 'Hi' }, ...(paired[kind]?.(spoken) ?? [spoken])]
      expect(roundTrip({ ...base, messages })['messages']).toEqual(messages)
    })
  }

  it('carries system messages with all their fields', () => {
    const system = {
      role: 'system',
      content: [blockSamples.tool_addition],
      clear_at: 'never',
      output_config: { effort: 'low' },
    }
    const messages = [{ role: 'user', content: 'Hi' }, system]
    expect(roundTrip({ ...base, messages })['messages']).toEqual(messages)
  })

  it('carries tools with all their fields, and the provider’s tools whole', () => {
    const tools = [
      {
        name: 'n',
        description: 'd',
        input_schema: schema,
        strict: true,
        ...cache,
        allowed_callers: ['direct'],
        defer_loading: true,
        eager_input_streaming: true,
        input_examples: [{ city: 'Rome' }],
      },
      { type: 'web_search_20260318', name: 'web_search', max_uses: 3, ...cache },
    ]
    expect(roundTrip({ ...base, tools })['tools']).toEqual(tools)
  })
})

describe('every field of a reply', () => {
  it('is carried through the canonical form', () => {
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm1',
      content: [{ type: 'text', text: 'a', citations: cited }],
      stop_reason: 'compaction',
      stop_sequence: null,
      stop_details: { type: 'refusal', category: 'bio', explanation: null },
      container: { id: 'c', expires_at: 'e', skills: null },
      context_management: { applied_edits: [] },
      diagnostics: { cache_miss_reason: null },
      input_transformations: [{ type: 'x' }],
      usage: {
        input_tokens: 1,
        cache_creation_input_tokens: 5,
        cache_read_input_tokens: 4,
        cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 },
        output_tokens: 6,
        output_tokens_details: { thinking_tokens: 5 },
        server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
        service_tier: 'standard',
        inference_geo: 'eu',
        speed: 'fast',
        iterations: [
          { type: 'compaction', input_tokens: 90, output_tokens: 8 },
          { type: 'message', input_tokens: 1, output_tokens: 6 },
        ],
        fallback_credit: { x: 1 },
      },
    }
    expect(Object.keys(message).sort()).toEqual(Object.keys(fields.messageFields).sort())
    expect(Object.keys(message.usage).sort()).toEqual(Object.keys(fields.usageFields).sort())
    const reply = readReply(message)
    if ('code' in reply) throw new Error(reply.message)
    const written = writeReply(reply)
    expect(written.losses).toEqual([])
    expect(written.value).toEqual(message)
  })
})
