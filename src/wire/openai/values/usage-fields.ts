import type { FieldTable } from '../../fields/field-table.ts'

/**
 * The fields of usage of chat completions and completions; `wire/fields/field-table.ts` explains how to read
 * the tables.
 */

export const usageFields = {
  completion_tokens: 'named',
  prompt_tokens: 'named',
  total_tokens: 'derived',
  completion_tokens_details: 'named',
  prompt_tokens_details: 'named',
} as const satisfies FieldTable

export const vendorUsageFields = {
  cache_creation_input_tokens: 'named',
  cached_tokens: 'named',
  num_cached_tokens: 'named',
  num_search_queries: 'named',
  num_sources_used: 'named',
  prompt_cache_hit_tokens: 'named',
  prompt_cache_miss_tokens: 'derived',
  reasoning_tokens: 'named',
} as const satisfies FieldTable

export const promptDetailsFields = {
  audio_tokens: 'named',
  cache_write_tokens: 'named',
  cached_tokens: 'named',
  image_tokens: 'named',
  text_tokens: 'derived',
} as const satisfies FieldTable

export const completionDetailsFields = {
  accepted_prediction_tokens: 'named',
  audio_tokens: 'named',
  reasoning_tokens: 'named',
  rejected_prediction_tokens: 'named',
  text_tokens: 'derived',
} as const satisfies FieldTable

/** Fields of gateways in front of models that answer with images. */
export const vendorCompletionDetailsFields = {
  image_tokens: 'named',
} as const satisfies FieldTable
