import type { FieldTable } from '../../fields/field-table.ts'

/**
 * Every field of the responses format by path, and the destination of its value; `wire/fields/field-table.ts` explains
 * how to read the tables. A test compares them with the types of the official SDK in both directions.
 */
export const requestFields = {
  access_programs: 'extras',
  background: 'named',
  context_management: 'extras',
  conversation: 'named',
  image: 'extras',
  include: 'named',
  input: 'named',
  instructions: 'named',
  max_output_tokens: 'named',
  max_tool_calls: 'extras',
  metadata: 'extras',
  model: 'named',
  moderation: 'extras',
  parallel_tool_calls: 'named',
  previous_response_id: 'named',
  prompt: 'named',
  prompt_cache_key: 'extras',
  prompt_cache_options: 'extras',
  prompt_cache_retention: 'extras',
  reasoning: 'named',
  safety_identifier: 'extras',
  service_tier: 'named',
  store: 'named',
  stream: 'named',
  stream_options: 'named',
  temperature: 'named',
  text: 'named',
  tool_choice: 'named',
  tools: 'named',
  top_logprobs: 'named',
  top_p: 'named',
  truncation: 'named',
  user: 'named',
} as const satisfies FieldTable

/** Padding that hides the lengths of chunks. Answers that the gateway writes never contain it. */
export const streamOptionsFields = { include_obfuscation: 'derived' } as const satisfies FieldTable
export const textFields = { format: 'named', verbosity: 'named' } as const satisfies FieldTable
export const schemaFormatFields = {
  name: 'named',
  schema: 'named',
  type: 'named',
  description: 'named',
  strict: 'named',
} as const satisfies FieldTable

export const reasoningFields = {
  context: 'extras',
  effort: 'named',
  generate_summary: 'named',
  mode: 'extras',
  summary: 'named',
} as const satisfies FieldTable

// Items. Their IDs and states have no meaning for another provider, so new ones are created.

export const inputMessageFields = {
  content: 'named',
  role: 'named',
  type: 'named',
  id: 'derived',
  phase: 'extras',
  status: 'derived',
} as const satisfies FieldTable

export const outputMessageFields = inputMessageFields
export const functionCallFields = {
  arguments: 'named',
  call_id: 'named',
  name: 'named',
  type: 'named',
  id: 'derived',
  async: 'extras',
  caller: 'extras',
  namespace: 'extras',
  status: 'derived',
} as const satisfies FieldTable

export const customCallFields = {
  call_id: 'named',
  input: 'named',
  name: 'named',
  type: 'named',
  id: 'derived',
  async: 'extras',
  caller: 'extras',
  namespace: 'extras',
} as const satisfies FieldTable

/** Fields seen in recorded traffic that the SDK's types do not have. */
export const vendorCallFields = { status: 'derived' } as const satisfies FieldTable
export const functionOutputFields = {
  output: 'named',
  type: 'named',
  id: 'derived',
  call_id: 'named',
  caller: 'extras',
  name: 'named',
  namespace: 'named',
  status: 'derived',
} as const satisfies FieldTable

export const customOutputFields = {
  call_id: 'named',
  output: 'named',
  type: 'named',
  id: 'derived',
  caller: 'extras',
} as const satisfies FieldTable

export const reasoningItemFields = {
  id: 'named',
  summary: 'named',
  type: 'named',
  content: 'named',
  encrypted_content: 'named',
  status: 'derived',
} as const satisfies FieldTable

// Parts.

export const inputTextFields = {
  text: 'named',
  type: 'named',
  prompt_cache_breakpoint: 'extras',
} as const satisfies FieldTable

export const inputImageFields = {
  detail: 'named',
  type: 'named',
  file_id: 'named',
  image_url: 'named',
  prompt_cache_breakpoint: 'extras',
} as const satisfies FieldTable

export const inputFileFields = {
  type: 'named',
  detail: 'extras',
  file_data: 'named',
  file_id: 'named',
  file_url: 'named',
  filename: 'named',
  prompt_cache_breakpoint: 'extras',
} as const satisfies FieldTable

export const inputAudioFields = { input_audio: 'named', type: 'named' } as const satisfies FieldTable
export const outputTextFields = {
  annotations: 'named',
  text: 'named',
  type: 'named',
  logprobs: 'derived',
} as const satisfies FieldTable

export const refusalFields = { refusal: 'named', type: 'named' } as const satisfies FieldTable
export const urlCitationFields = {
  end_index: 'named',
  start_index: 'named',
  title: 'named',
  type: 'named',
  url: 'named',
} as const satisfies FieldTable

// Tools.

export const functionToolFields = {
  name: 'named',
  parameters: 'named',
  strict: 'named',
  type: 'named',
  allowed_callers: 'extras',
  async: 'extras',
  defer_loading: 'extras',
  description: 'named',
  output_schema: 'extras',
} as const satisfies FieldTable

export const customToolFields = {
  name: 'named',
  type: 'named',
  allowed_callers: 'extras',
  async: 'extras',
  defer_loading: 'extras',
  description: 'named',
  format: 'named',
} as const satisfies FieldTable

// Answers. Fields that only repeat the request are ignored.

export const replyFields = {
  id: 'named',
  access_programs: 'derived',
  output_text: 'derived',
  created_at: 'named',
  error: 'named',
  incomplete_details: 'named',
  instructions: 'derived',
  metadata: 'derived',
  model: 'named',
  object: 'derived',
  output: 'named',
  parallel_tool_calls: 'derived',
  temperature: 'derived',
  tool_choice: 'derived',
  tools: 'derived',
  top_p: 'derived',
  background: 'derived',
  completed_at: 'derived',
  conversation: 'extras',
  image: 'derived',
  max_output_tokens: 'derived',
  max_tool_calls: 'derived',
  moderation: 'extras',
  previous_response_id: 'derived',
  prompt: 'derived',
  prompt_cache_diagnostics: 'extras',
  prompt_cache_key: 'derived',
  prompt_cache_options: 'derived',
  prompt_cache_retention: 'derived',
  reasoning: 'derived',
  safety_identifier: 'derived',
  service_tier: 'named',
  status: 'named',
  text: 'derived',
  tool_usage: 'named',
  top_logprobs: 'derived',
  truncation: 'derived',
  usage: 'named',
  user: 'derived',
} as const satisfies FieldTable

/** Fields of servers that repeat the request (recorded traffic, 2025 and 2026). */
export const vendorReplyFields = {
  billing: 'derived',
  frequency_penalty: 'derived',
  presence_penalty: 'derived',
  store: 'derived',
} as const satisfies FieldTable

export const usageFields = {
  input_tokens: 'named',
  input_tokens_details: 'named',
  output_tokens: 'named',
  output_tokens_details: 'named',
  total_tokens: 'derived',
} as const satisfies FieldTable

export const inputDetailsFields = {
  cache_write_tokens: 'named',
  cached_tokens: 'named',
  cache_write_tokens_details: 'derived',
} as const satisfies FieldTable

export const outputDetailsFields = { reasoning_tokens: 'named' } as const satisfies FieldTable
export const imageCallFields = {
  id: 'derived',
  result: 'named',
  status: 'derived',
  type: 'named',
  action: 'extras',
  background: 'extras',
  error: 'extras',
  output_format: 'named',
  quality: 'extras',
  revised_prompt: 'extras',
  size: 'extras',
  svg_usage: 'extras',
} as const satisfies FieldTable
