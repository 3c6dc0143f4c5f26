import type { FieldTable } from '../../fields/field-table.ts'

/**
 * Every field of a request by path; `wire/fields/field-table.ts` explains how to read the tables
 * (API_runtime_ConverseStream.html and @aws-sdk/client-bedrock-runtime 3.1164.0, seen 2026-11-25). The model is in the
 * path, not in the body.
 */
export const requestFields = {
  additionalModelRequestFields: 'named',
  additionalModelResponseFieldPaths: 'extras',
  guardrailConfig: 'extras',
  inferenceConfig: 'named',
  messages: 'named',
  modelId: 'derived',
  outputConfig: 'named',
  performanceConfig: 'extras',
  promptVariables: 'extras',
  requestMetadata: 'extras',
  serviceTier: 'named',
  system: 'named',
  toolConfig: 'named',
} as const satisfies FieldTable

export const inferenceFields = {
  maxTokens: 'named',
  stopSequences: 'named',
  temperature: 'named',
  topP: 'named',
} as const satisfies FieldTable

export const toolSpecFields = {
  description: 'named',
  inputSchema: 'named',
  name: 'named',
  strict: 'named',
} as const satisfies FieldTable

export const mediaFields = { format: 'named', source: 'named' } as const satisfies FieldTable

export const documentFields = {
  citations: 'extras',
  context: 'named',
  format: 'named',
  name: 'named',
  source: 'named',
} as const satisfies FieldTable

export const toolUseFields = {
  input: 'named',
  name: 'named',
  toolUseId: 'named',
  type: 'named',
} as const satisfies FieldTable

export const toolResultFields = {
  content: 'named',
  status: 'named',
  toolUseId: 'named',
  type: 'named',
} as const satisfies FieldTable
