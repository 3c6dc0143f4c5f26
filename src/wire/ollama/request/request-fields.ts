import type { FieldTable } from '../../fields/field-table.ts'

/**
 * Every field of Ollama's two operations by path; `wire/fields/field-table.ts` explains how to read the tables
 * (https://docs.ollama.com/api and the types of the `ollama` client 0.6.4, seen 2026-11-25). No channel speaks the
 * format, so `extras` are lost, and each loss names its field.
 */
export const chatFields = {
  format: 'named',
  keep_alive: 'extras',
  logprobs: 'named',
  messages: 'named',
  model: 'named',
  options: 'named',
  stream: 'named',
  think: 'named',
  tools: 'named',
  top_logprobs: 'named',
} as const satisfies FieldTable

export const generateFields = {
  context: 'extras',
  format: 'named',
  height: 'extras',
  images: 'named',
  keep_alive: 'extras',
  logprobs: 'named',
  model: 'named',
  options: 'named',
  prompt: 'named',
  raw: 'extras',
  steps: 'extras',
  stream: 'named',
  suffix: 'extras',
  system: 'named',
  template: 'extras',
  think: 'named',
  top_logprobs: 'named',
  width: 'extras',
} as const satisfies FieldTable

/** Options with a canonical name. All others, such as `num_ctx`, control the program that runs the model. */
export const optionFields = {
  frequency_penalty: 'named',
  num_predict: 'named',
  presence_penalty: 'named',
  seed: 'named',
  stop: 'named',
  temperature: 'named',
  top_k: 'named',
  top_p: 'named',
} as const satisfies FieldTable

export const messageFields = {
  content: 'named',
  images: 'named',
  role: 'named',
  thinking: 'named',
  tool_call_id: 'named',
  tool_calls: 'named',
  tool_name: 'named',
} as const satisfies FieldTable

/** Clients until 2025 named the tool of a result in "name", as the examples of Ollama's Python client did. */
export const resultFields = { ...messageFields, name: 'named' } as const satisfies FieldTable

export const toolFields = { function: 'named', type: 'constant' } as const satisfies FieldTable

export const functionFields = {
  description: 'named',
  name: 'named',
  parameters: 'named',
} as const satisfies FieldTable

/** An answer's calls have an index inside their function, which follows from the order of the calls. */
export const callFields = {
  function: 'named',
  id: 'named',
  type: 'constant',
} as const satisfies FieldTable

export const calledFunctionFields = {
  arguments: 'named',
  index: 'derived',
  name: 'named',
} as const satisfies FieldTable
