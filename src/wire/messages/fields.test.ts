import type * as Beta from '@anthropic-ai/sdk/resources/beta/messages/messages'
import type * as Stable from '@anthropic-ai/sdk/resources/messages/messages'
import { describe, expect, it } from 'vitest'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json.ts'
import { plainDialect } from '../dialect.ts'
import * as fields from './fields.ts'
import { readReply } from './read-reply.ts'
import { readRequest } from './read-request.ts'
import { writeReply } from './write-reply.ts'
import { writeRequest } from './write-request.ts'

/** The names of all members of a union of objects. */
type NamesOf<Union> = Union extends unknown ? keyof Union & string : never
type KindOf<Union> = Union extends { readonly type: infer Kind extends string } ? Kind : never

/** Fails to compile where the table lacks a name of the SDK's type, or has one that the type lacks. */
function holds<Names extends string>() {
  return <const Table extends Readonly<Record<Names, string>>>(
    table: Table & { readonly [Name in Exclude<keyof Table, Names>]: never },
  ): readonly string[] => Object.keys(table)
}

type ResultContent = Extract<
  Exclude<
    (Stable.ToolResultBlockParam | Beta.BetaToolResultBlockParam)['content'],
    string | undefined
  >[number],
  { readonly type: string }
>
type SystemContent = Extract<
  Exclude<Beta.BetaSystemMessageParam['content'], string | undefined>[number],
  { readonly type: string }
>

const held: Readonly<Record<string, readonly string[]>> = {
  request: holds<NamesOf<Stable.MessageCreateParams | Beta.MessageCreateParams>>()(fields.requestFields),
  user: holds<NamesOf<Stable.UserMessageParam | Beta.BetaUserMessageParam>>()(fields.userMessageFields),
  assistant: holds<NamesOf<Stable.AssistantMessageParam | Beta.BetaAssistantMessageParam>>()(
    fields.assistantMessageFields,
  ),
  system: holds<NamesOf<Stable.SystemMessageParam | Beta.BetaSystemMessageParam>>()(
    fields.systemMessageFields,
  ),
  cacheControl: holds<NamesOf<Stable.CacheControlEphemeral | Beta.BetaCacheControlEphemeral>>()(
    fields.cacheControlFields,
  ),
  metadata: holds<NamesOf<Stable.Metadata | Beta.BetaMetadata>>()(fields.metadataFields),
  outputConfig: holds<NamesOf<Stable.OutputConfig | Beta.BetaOutputConfig>>()(fields.outputConfigFields),
  outputFormat: holds<NamesOf<Stable.JSONOutputFormat | Beta.BetaJSONOutputFormat>>()(
    fields.outputFormatFields,
  ),
  thinking: holds<NamesOf<Stable.ThinkingConfigParam | Beta.BetaThinkingConfigParam>>()(
    fields.thinkingFields,
  ),
  toolChoice: holds<NamesOf<Stable.ToolChoice | Beta.BetaToolChoice>>()(fields.toolChoiceFields),
  tool: holds<NamesOf<Stable.Tool | Beta.BetaTool>>()(fields.toolFields),
  blockKinds: holds<
    KindOf<
      | Stable.ContentBlockParam
      | Beta.BetaContentBlockParam
      | Stable.ContentBlock
      | Beta.BetaContentBlock
      | ResultContent
      | SystemContent
    >
  >()(fields.blockKinds),
  text: holds<NamesOf<Stable.TextBlockParam | Stable.TextBlock | Beta.BetaTextBlockParam>>()(
    fields.textFields,
  ),
  image: holds<NamesOf<Stable.ImageBlockParam | Beta.BetaImageBlockParam>>()(fields.imageFields),
  document: holds<NamesOf<Stable.DocumentBlockParam | Beta.BetaRequestDocumentBlock>>()(
    fields.documentFields,
  ),
  source: holds<
    NamesOf<(Stable.ImageBlockParam | Stable.DocumentBlockParam | Beta.BetaRequestDocumentBlock)['source']>
  >()(fields.sourceFields),
  searchResult: holds<NamesOf<Stable.SearchResultBlockParam | Beta.BetaSearchResultBlockParam>>()(
    fields.searchResultFields,
  ),
  thinkingBlock: holds<NamesOf<Stable.ThinkingBlockParam | Stable.ThinkingBlock | Beta.BetaThinkingBlock>>()(
    fields.thinkingBlockFields,
  ),
  redactedThinking: holds<NamesOf<Stable.RedactedThinkingBlockParam | Beta.BetaRedactedThinkingBlock>>()(
    fields.redactedThinkingFields,
  ),
  toolUse: holds<NamesOf<Stable.ToolUseBlockParam | Stable.ToolUseBlock | Beta.BetaToolUseBlockParam>>()(
    fields.toolUseFields,
  ),
  toolResult: holds<NamesOf<Stable.ToolResultBlockParam | Beta.BetaToolResultBlockParam>>()(
    fields.toolResultFields,
  ),
  message: holds<NamesOf<Stable.Message | Beta.BetaMessage>>()(fields.messageFields),
  usage: holds<
    NamesOf<Stable.Usage | Beta.BetaUsage | Stable.MessageDeltaUsage | Beta.BetaMessageDeltaUsage>
  >()(fields.usageFields),
  streamEventKinds: holds<KindOf<Stable.RawMessageStreamEvent | Beta.BetaRawMessageStreamEvent>>()(
    fields.streamEventKinds,
  ),
  messageDeltaEvent: holds<NamesOf<Stable.RawMessageDeltaEvent | Beta.BetaRawMessageDeltaEvent>>()(
    fields.messageDeltaEventFields,
  ),
  messageDelta: holds<NamesOf<(Stable.RawMessageDeltaEvent | Beta.BetaRawMessageDeltaEvent)['delta']>>()(
    fields.messageDeltaFields,
  ),
  deltaKinds: holds<KindOf<Stable.RawContentBlockDelta | Beta.BetaRawContentBlockDelta>>()(fields.deltaKinds),
}

const schema = { type: 'object', properties: { city: { type: 'string' } } }

/** A value for each field of a request that says something. */
const requestSamples: Readonly<
  Record<keyof typeof fields.requestFields | keyof typeof fields.olderRequestFields, JsonValue>
> = {
  model: 'm1',
  messages: [{ role: 'user', content: 'Hi' }],
  system: 'Be brief.',
  max_tokens: 16,
  stream: true,
  stop_sequences: ['END'],
  temperature: 0.5,
  top_k: 4,
  top_p: 0.9,
  tools: [{ name: 'weather', input_schema: schema }],
  tool_choice: { type: 'any', disable_parallel_tool_use: true },
  thinking: { type: 'adaptive', display: 'updates', block_binding: { prefix_mismatch_behavior: 'drop' } },
  output_config: { effort: 'xhigh', task_budget: { type: 'tokens', total: 9 } },
  output_format: { type: 'json_schema', schema },
  metadata: { user_id: 'u1', team: 't1' },
  service_tier: 'standard_only',
  cache_control: { type: 'ephemeral', ttl: '1h', scope: 'global' },
  thread: { type: 'create' },
  betas: ['b1'],
  billing_policy: { type: 'x' },
  compaction: { type: 'x' },
  container: { id: 'c1' },
  context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
  diagnostics: { previous_message_id: 'm0' },
  fallback_credit_token: 'f1',
  fallbacks: [{ model: 'm2' }],
  inference_geo: 'eu',
  mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'x' }],
  speed: 'fast',
  user_profile_id: 'p1',
  workspace_id: 'w1',
}

const base = { model: 'm1', max_tokens: 16, messages: [{ role: 'user', content: 'Hi' }] }
const toolsBase = { ...base, tools: [{ name: 'weather', input_schema: schema }] }

function roundTrip(body: JsonObject): JsonObject {
  const written = writeRequest(readRequest(body), { model: 'm1', dialect: plainDialect })
  expect(written.losses).toEqual([])
  return written.value
}

describe('the tables of fields', () => {
  it('have a place for every field of the official types, and no other', () => {
    for (const names of Object.values(held)) expect(names.length).toBeGreaterThan(0)
  })
})

describe('every field of a request', () => {
  for (const [name, value] of Object.entries(requestSamples)) {
    if (name === 'thread') continue
    it(`carries ${name} through the canonical form`, () => {
      const again = roundTrip({ ...toolsBase, [name]: value })
      // The older name of the output's format goes on under the newer one.
      if (name === 'output_format') expect(again['output_config']).toEqual({ format: value })
      else expect(again[name]).toEqual(value)
    })
  }

  it('refuses threads as the official SDK expects, since it goes on without them', () => {
    expect(() => readRequest({ ...base, thread: requestSamples.thread })).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({
          code: 'thread_unsupported',
          param: 'thread',
          details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
        }),
      }),
    )
  })

  it('counts null as absent, in every field that may be left out', () => {
    const optional = Object.keys(requestSamples).filter((name) => !(name in base))
    const body: JsonObject = { ...base, ...Object.fromEntries(optional.map((name) => [name, null])) }
    expect(roundTrip(body)).toEqual(base)
  })
})

const cache = { cache_control: { type: 'ephemeral', ttl: '5m' } }
const cited = [
  { type: 'char_location', cited_text: 'a', document_index: 0, document_title: 't', file_id: null },
]
const codeCaller = { type: 'code_execution_20260120', tool_id: 's1' }

/** A message with each kind of block in full, by where it stands. */
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

describe('every kind of block', () => {
  for (const [kind, block] of Object.entries(blockSamples)) {
    const role = ofUsers.includes(kind) ? 'user' : 'assistant'
    it(`carries ${kind} through the canonical form`, () => {
      const messages = [
        { role: 'user', content: 'Hi' },
        { role, content: [block] },
      ]
      expect(roundTrip({ ...base, messages })['messages']).toEqual(messages)
    })
  }

  it('carries messages of the system with all their fields', () => {
    const system = {
      role: 'system',
      content: [blockSamples.tool_addition],
      clear_at: 'never',
      output_config: { effort: 'low' },
    }
    const messages = [{ role: 'user', content: 'Hi' }, system]
    expect(roundTrip({ ...base, messages })['messages']).toEqual(messages)
  })

  it('carries tools with all their fields, and those of the provider whole', () => {
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
  it('carries all of it through the canonical form', () => {
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
        iterations: [{ type: 'message' }],
        fallback_credit: { x: 1 },
      },
    }
    expect(Object.keys(message).sort()).toEqual(Object.keys(fields.messageFields).sort())
    expect(Object.keys(message.usage).sort()).toEqual(Object.keys(fields.usageFields).sort())
    const reply = readReply(message)
    if ('code' in reply) throw new Error(reply.message)
    const written = writeReply(reply)
    expect(written.losses).toEqual([])
    expect(isJsonObject(written.value) && written.value).toEqual(message)
  })
})
