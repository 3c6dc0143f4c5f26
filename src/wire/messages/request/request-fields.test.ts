import type * as Beta from '@anthropic-ai/sdk/resources/beta/messages/messages'
import type * as Stable from '@anthropic-ai/sdk/resources/messages/messages'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { defaultDialect } from '../../dialect.ts'
import { readRequest } from './read-request.ts'
import * as fields from './request-fields.ts'
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
  const written = writeRequest(readRequest(body), { model: 'm1', dialect: defaultDialect })
  expect(written.losses).toEqual([])
  return written.value
}

describe('the tables of fields', () => {
  it('have every field of the official types, and no other', () => {
    for (const names of Object.values(held)) expect(names.length).toBeGreaterThan(0)
  })
})

describe('a field of a request', () => {
  for (const [name, value] of Object.entries(requestSamples)) {
    if (name === 'thread') continue
    it(`is carried through the canonical form: ${name}`, () => {
      const again = roundTrip({ ...toolsBase, [name]: value })
      // The older name of the output's format goes on under the newer one.
      if (name === 'output_format') expect(again['output_config']).toEqual({ format: value })
      else expect(again[name]).toEqual(value)
    })
  }

  it('is refused if it is a thread, as the official SDK expects, since the SDK continues without threads', () => {
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

  it('is treated as absent if it is null and optional', () => {
    const optional = Object.keys(requestSamples).filter((name) => !(name in base))
    const body: JsonObject = { ...base, ...Object.fromEntries(optional.map((name) => [name, null])) }
    expect(roundTrip(body)).toEqual(base)
  })
})
