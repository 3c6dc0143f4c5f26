import type { FieldTable } from '../../fields/field-table.ts'

/**
 * Every field of the completions format by path; `wire/fields/field-table.ts` explains how to read the tables. A test
 * compares them with the types of the official SDK in both directions. Requests are read only into conversations, in
 * which their `extras` are lost.
 */
export const requestFields = {
  model: 'named',
  prompt: 'named',
  best_of: 'extras',
  echo: 'named',
  frequency_penalty: 'named',
  logit_bias: 'named',
  logprobs: 'named',
  max_tokens: 'named',
  n: 'named',
  presence_penalty: 'named',
  seed: 'named',
  stop: 'named',
  stream: 'named',
  stream_options: 'named',
  suffix: 'extras',
  temperature: 'named',
  top_p: 'named',
  user: 'named',
} as const satisfies FieldTable

/** Fields that other servers of the format add (vLLM, Together; recorded traffic, 2024). */
export const vendorRequestFields = { top_k: 'named' } as const satisfies FieldTable

export const replyFields = {
  id: 'named',
  choices: 'named',
  created: 'named',
  model: 'named',
  object: 'derived',
  system_fingerprint: 'extras',
  usage: 'named',
} as const satisfies FieldTable

export const choiceFields = {
  finish_reason: 'named',
  index: 'derived',
  logprobs: 'named',
  text: 'named',
} as const satisfies FieldTable
