import type { FieldTable } from '../../fields/field-table.ts'

/**
 * Every field of the chat completions format by path, and the destination of its value. A test compares these tables
 * with the types of the official SDK in both directions. Tables whose name begins with `vendor` list fields that other
 * servers of the format add (seen in recorded traffic, 2023 to 2026).
 */
export const requestFields = {
  messages: 'named',
  model: 'named',
  audio: 'extras',
  frequency_penalty: 'named',
  function_call: 'named',
  functions: 'named',
  logit_bias: 'named',
  logprobs: 'named',
  max_completion_tokens: 'named',
  max_tokens: 'named',
  metadata: 'extras',
  modalities: 'extras',
  moderation: 'extras',
  n: 'named',
  parallel_tool_calls: 'named',
  prediction: 'extras',
  presence_penalty: 'named',
  prompt_cache_key: 'extras',
  prompt_cache_options: 'extras',
  prompt_cache_retention: 'extras',
  reasoning_effort: 'named',
  response_format: 'named',
  safety_identifier: 'extras',
  seed: 'named',
  service_tier: 'named',
  stop: 'named',
  store: 'extras',
  stream: 'named',
  stream_options: 'named',
  temperature: 'named',
  tool_choice: 'named',
  tools: 'named',
  top_logprobs: 'named',
  top_p: 'named',
  user: 'named',
  verbosity: 'named',
  web_search_options: 'extras',
} as const satisfies FieldTable

export const vendorRequestFields = { top_k: 'named', cache_control: 'named' } as const satisfies FieldTable

export const streamOptionsFields = {
  include_usage: 'named',
  include_obfuscation: 'extras',
} as const satisfies FieldTable

// Messages, by role.

export const systemMessageFields = {
  role: 'named',
  content: 'named',
  name: 'named',
} as const satisfies FieldTable

export const userMessageFields = {
  role: 'named',
  content: 'named',
  name: 'named',
} as const satisfies FieldTable

export const assistantMessageFields = {
  role: 'named',
  content: 'named',
  name: 'named',
  audio: 'named',
  function_call: 'named',
  refusal: 'named',
  tool_calls: 'named',
} as const satisfies FieldTable

export const toolMessageFields = {
  role: 'named',
  content: 'named',
  tool_call_id: 'named',
} as const satisfies FieldTable

export const functionMessageFields = {
  role: 'named',
  content: 'named',
  name: 'named',
} as const satisfies FieldTable

export const vendorMessageFields = { cache_control: 'named' } as const satisfies FieldTable
/** The three field names under which servers send reasoning and accept it back. */
export const vendorReasoningFields = {
  reasoning: 'named',
  reasoning_content: 'named',
  reasoning_details: 'named',
} as const satisfies FieldTable

export const assistantAudioFields = { id: 'named' } as const satisfies FieldTable
export const functionCallFields = { name: 'named', arguments: 'named' } as const satisfies FieldTable
export const functionToolCallFields = {
  id: 'named',
  type: 'named',
  function: 'named',
} as const satisfies FieldTable

export const customToolCallFields = {
  id: 'named',
  type: 'named',
  custom: 'named',
} as const satisfies FieldTable

export const customCallFields = { name: 'named', input: 'named' } as const satisfies FieldTable
export const vendorToolCallFields = { index: 'derived', cache_control: 'named' } as const satisfies FieldTable

// Parts of content.

export const textPartFields = {
  type: 'named',
  text: 'named',
  prompt_cache_breakpoint: 'extras',
} as const satisfies FieldTable

export const imagePartFields = {
  type: 'named',
  image_url: 'named',
  prompt_cache_breakpoint: 'extras',
} as const satisfies FieldTable

export const imageUrlFields = { url: 'named', detail: 'named' } as const satisfies FieldTable
export const audioPartFields = {
  type: 'named',
  input_audio: 'named',
  prompt_cache_breakpoint: 'extras',
} as const satisfies FieldTable

export const inputAudioFields = { data: 'named', format: 'named' } as const satisfies FieldTable
export const filePartFields = {
  type: 'named',
  file: 'named',
  prompt_cache_breakpoint: 'extras',
} as const satisfies FieldTable

export const fileFields = {
  file_data: 'named',
  file_id: 'named',
  filename: 'named',
} as const satisfies FieldTable

export const refusalPartFields = { type: 'named', refusal: 'named' } as const satisfies FieldTable
export const vendorPartFields = { cache_control: 'named' } as const satisfies FieldTable
export const vendorVideoPartFields = { type: 'named', video_url: 'named' } as const satisfies FieldTable
export const vendorDocumentPartFields = {
  type: 'named',
  document_url: 'named',
  document_name: 'named',
} as const satisfies FieldTable

export const vendorThinkingPartFields = { type: 'named', thinking: 'named' } as const satisfies FieldTable

// Tools.

export const functionToolFields = { type: 'named', function: 'named' } as const satisfies FieldTable
export const functionDefinitionFields = {
  name: 'named',
  description: 'named',
  parameters: 'named',
  strict: 'named',
} as const satisfies FieldTable

export const customToolFields = { type: 'named', custom: 'named' } as const satisfies FieldTable
export const customDefinitionFields = {
  name: 'named',
  description: 'named',
  format: 'named',
} as const satisfies FieldTable

export const legacyFunctionFields = {
  name: 'named',
  description: 'named',
  parameters: 'named',
} as const satisfies FieldTable

export const vendorToolFields = { cache_control: 'named' } as const satisfies FieldTable

export const namedToolChoiceFields = { type: 'named', function: 'named' } as const satisfies FieldTable
export const customToolChoiceFields = { type: 'named', custom: 'named' } as const satisfies FieldTable
export const allowedToolChoiceFields = { type: 'named', allowed_tools: 'named' } as const satisfies FieldTable
export const allowedToolsFields = { mode: 'named', tools: 'named' } as const satisfies FieldTable
export const toolNameFields = { name: 'named' } as const satisfies FieldTable

export const schemaFormatFields = { type: 'named', json_schema: 'named' } as const satisfies FieldTable
export const plainFormatFields = { type: 'named' } as const satisfies FieldTable
export const jsonSchemaFields = {
  name: 'named',
  description: 'named',
  schema: 'named',
  strict: 'named',
} as const satisfies FieldTable
