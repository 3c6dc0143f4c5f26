import type { FieldTable } from '../../fields/field-table.ts'

/**
 * Every field of the messages format by path, under the names of the official SDK's types (@anthropic-ai/sdk 1.11.0,
 * stable and beta). A test compares these tables with those types, in both directions.
 */

export const requestFields = {
  model: 'named',
  messages: 'named',
  system: 'named',
  max_tokens: 'named',
  stream: 'named',
  stop_sequences: 'named',
  tools: 'named',
  tool_choice: 'named',
  thinking: 'named',
  output_config: 'named',
  output_format: 'named',
  metadata: 'named',
  service_tier: 'named',
  cache_control: 'named',
  thread: 'refused',
  betas: 'extras',
  billing_policy: 'extras',
  compaction: 'extras',
  container: 'extras',
  context_management: 'extras',
  diagnostics: 'extras',
  fallback_credit_token: 'extras',
  fallbacks: 'extras',
  inference_geo: 'extras',
  mcp_servers: 'extras',
  speed: 'extras',
  user_profile_id: 'extras',
  workspace_id: 'extras',
} as const satisfies FieldTable

/** Fields that the SDK's types no longer have, but the service and its callers still use. */
export const olderRequestFields = {
  temperature: 'named',
  top_k: 'named',
  top_p: 'named',
} as const satisfies FieldTable

export const userMessageFields = { role: 'named', content: 'named' } as const satisfies FieldTable
export const assistantMessageFields = { role: 'named', content: 'named' } as const satisfies FieldTable
export const systemMessageFields = {
  role: 'named',
  content: 'named',
  clear_at: 'extras',
  output_config: 'extras',
} as const satisfies FieldTable

export const cacheControlFields = { type: 'constant', ttl: 'named' } as const satisfies FieldTable
export const metadataFields = { user_id: 'named' } as const satisfies FieldTable
export const outputConfigFields = {
  effort: 'named',
  format: 'named',
  task_budget: 'extras',
} as const satisfies FieldTable

export const outputFormatFields = { type: 'constant', schema: 'named' } as const satisfies FieldTable
export const thinkingFields = {
  type: 'named',
  budget_tokens: 'named',
  display: 'named',
  block_binding: 'extras',
} as const satisfies FieldTable

export const toolChoiceFields = {
  type: 'named',
  name: 'named',
  disable_parallel_tool_use: 'named',
} as const satisfies FieldTable

export const toolFields = {
  type: 'constant',
  name: 'named',
  description: 'named',
  input_schema: 'named',
  strict: 'named',
  cache_control: 'named',
  allowed_callers: 'extras',
  defer_loading: 'extras',
  eager_input_streaming: 'extras',
  input_examples: 'extras',
} as const satisfies FieldTable

/** The way in which each kind of block is read: as a kind of its own, or unchanged as an opaque block. */
export const blockKinds = {
  text: 'named',
  image: 'named',
  document: 'named',
  search_result: 'named',
  thinking: 'named',
  redacted_thinking: 'named',
  tool_use: 'named',
  tool_result: 'named',
  advisor_tool_result: 'opaque',
  bash_code_execution_tool_result: 'opaque',
  browser_state: 'opaque',
  code_execution_tool_result: 'opaque',
  compaction: 'opaque',
  container_upload: 'opaque',
  fallback: 'opaque',
  mcp_tool_listing: 'opaque',
  mcp_tool_result: 'opaque',
  mcp_tool_use: 'opaque',
  server_tool_use: 'opaque',
  text_editor_code_execution_tool_result: 'opaque',
  tool_addition: 'opaque',
  tool_reference: 'opaque',
  tool_removal: 'opaque',
  tool_search_tool_result: 'opaque',
  web_fetch_tool_result: 'opaque',
  web_search_tool_result: 'opaque',
} as const satisfies Readonly<Record<string, 'named' | 'opaque'>>

export const textFields = {
  type: 'constant',
  text: 'named',
  citations: 'named',
  cache_control: 'named',
} as const satisfies FieldTable

export const imageFields = {
  type: 'constant',
  source: 'named',
  cache_control: 'named',
  transformations: 'extras',
} as const satisfies FieldTable

export const documentFields = {
  type: 'constant',
  source: 'named',
  title: 'named',
  context: 'named',
  cache_control: 'named',
  citations: 'extras',
} as const satisfies FieldTable

export const sourceFields = {
  type: 'named',
  media_type: 'named',
  data: 'named',
  url: 'named',
  file_id: 'named',
  content: 'named',
} as const satisfies FieldTable

export const searchResultFields = {
  type: 'constant',
  source: 'named',
  title: 'named',
  content: 'named',
  cache_control: 'named',
  citations: 'extras',
} as const satisfies FieldTable

export const thinkingBlockFields = {
  type: 'constant',
  thinking: 'named',
  signature: 'named',
} as const satisfies FieldTable

export const redactedThinkingFields = { type: 'constant', data: 'named' } as const satisfies FieldTable
export const toolUseFields = {
  type: 'constant',
  id: 'named',
  name: 'named',
  input: 'named',
  cache_control: 'named',
  caller: 'extras',
  toolset_name: 'extras',
} as const satisfies FieldTable

export const toolResultFields = {
  type: 'constant',
  tool_use_id: 'named',
  content: 'named',
  is_error: 'named',
  cache_control: 'named',
  toolset_name: 'extras',
} as const satisfies FieldTable

export const messageFields = {
  id: 'named',
  type: 'constant',
  role: 'constant',
  model: 'named',
  content: 'named',
  stop_reason: 'named',
  stop_sequence: 'named',
  usage: 'named',
  stop_details: 'extras',
  container: 'extras',
  context_management: 'extras',
  diagnostics: 'extras',
  input_transformations: 'extras',
} as const satisfies FieldTable

export const usageFields = {
  input_tokens: 'named',
  cache_read_input_tokens: 'named',
  cache_creation_input_tokens: 'named',
  cache_creation: 'named',
  output_tokens: 'named',
  output_tokens_details: 'named',
  server_tool_use: 'named',
  service_tier: 'named',
  fallback_credit: 'extras',
  inference_geo: 'extras',
  iterations: 'extras',
  speed: 'extras',
} as const satisfies FieldTable

/** The kinds of frames in a stream. The fields of `message_delta` are in the next table. */
export const streamEventKinds = {
  message_start: 'named',
  content_block_start: 'named',
  content_block_delta: 'named',
  content_block_stop: 'named',
  message_delta: 'named',
  message_stop: 'named',
} as const satisfies FieldTable

export const messageDeltaEventFields = {
  type: 'constant',
  delta: 'named',
  usage: 'named',
  context_management: 'extras',
  input_transformations: 'extras',
} as const satisfies FieldTable

export const messageDeltaFields = {
  stop_reason: 'named',
  stop_sequence: 'named',
  stop_details: 'extras',
  container: 'extras',
} as const satisfies FieldTable

/** The kinds of deltas. `compaction_delta` belongs to an opaque block, and its fields are merged into that block. */
export const deltaKinds = {
  text_delta: 'named',
  input_json_delta: 'named',
  citations_delta: 'named',
  thinking_delta: 'named',
  signature_delta: 'named',
  compaction_delta: 'opaque',
} as const satisfies Readonly<Record<string, 'named' | 'opaque'>>
