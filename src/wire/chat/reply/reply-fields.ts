import type { FieldTable } from '../../fields/field-table.ts'

/** The fields of answers, whole and streamed; `wire/fields/field-table.ts` explains how to read the tables. */

export const replyFields = {
  id: 'named',
  choices: 'named',
  created: 'named',
  model: 'named',
  object: 'derived',
  metadata: 'extras',
  moderation: 'extras',
  service_tier: 'named',
  system_fingerprint: 'extras',
  usage: 'named',
} as const satisfies FieldTable

export const chunkFields = {
  id: 'named',
  choices: 'named',
  created: 'named',
  model: 'named',
  object: 'derived',
  moderation: 'extras',
  // Padding that hides the lengths of chunks.
  obfuscation: 'derived',
  service_tier: 'named',
  system_fingerprint: 'extras',
  usage: 'named',
} as const satisfies FieldTable

/** The padding that Mistral adds. */
export const vendorChunkFields = { p: 'derived' } as const satisfies FieldTable

export const choiceFields = {
  finish_reason: 'named',
  index: 'named',
  logprobs: 'named',
  message: 'named',
} as const satisfies FieldTable

export const chunkChoiceFields = {
  delta: 'named',
  finish_reason: 'named',
  index: 'named',
  logprobs: 'named',
} as const satisfies FieldTable

/** Moonshot puts the usage of a stream into the choice. */
export const vendorChoiceFields = { usage: 'named' } as const satisfies FieldTable
export const logprobsFields = { content: 'named', refusal: 'named' } as const satisfies FieldTable

export const messageFields = {
  content: 'named',
  refusal: 'named',
  role: 'derived',
  annotations: 'named',
  audio: 'named',
  function_call: 'named',
  tool_calls: 'named',
} as const satisfies FieldTable

export const deltaFields = {
  audio: 'named',
  content: 'named',
  function_call: 'named',
  refusal: 'named',
  role: 'derived',
  tool_calls: 'named',
} as const satisfies FieldTable

/** `images` are generated images, in OpenRouter's form; `index` repeats the choice's index. */
export const vendorDeltaFields = {
  reasoning: 'named',
  reasoning_content: 'named',
  reasoning_details: 'named',
  annotations: 'named',
  images: 'named',
  index: 'derived',
} as const satisfies FieldTable

export const annotationFields = { type: 'named', url_citation: 'named' } as const satisfies FieldTable
export const urlCitationFields = {
  end_index: 'named',
  start_index: 'named',
  title: 'named',
  url: 'named',
} as const satisfies FieldTable

/** The text of the source, which OpenRouter adds. */
export const vendorUrlCitationFields = { content: 'named' } as const satisfies FieldTable

export const audioFields = {
  id: 'named',
  data: 'named',
  expires_at: 'named',
  transcript: 'named',
} as const satisfies FieldTable

export const deltaToolCallFields = {
  index: 'derived',
  id: 'named',
  custom: 'named',
  function: 'named',
  type: 'named',
} as const satisfies FieldTable

export const deltaFunctionFields = { arguments: 'named', name: 'named' } as const satisfies FieldTable
export const deltaCustomFields = { input: 'named', name: 'named' } as const satisfies FieldTable
