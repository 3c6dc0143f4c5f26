import type { JsonObject } from '../kit/json/json.ts'

/** The wire formats of conversations that callers and channels speak. */
export const formatIds = ['chat', 'messages', 'responses', 'gemini'] as const
export type FormatId = (typeof formatIds)[number]

/** The formats in which operations write errors. No channel speaks Ollama's own format. */
export type FamilyId = FormatId | 'converse' | 'ollama'

/** Every format that a channel can speak. */
export const channelFormatIds = [...formatIds, 'cohere', 'converse'] as const
export type ChannelFormatId = (typeof channelFormatIds)[number]

/** The operations that callers can ask for. Each has a folder in `wire/`, and writes its errors in one format. */
export const operationIds = [
  ...formatIds,
  'completions',
  'embeddings',
  'count-tokens',
  'gemini-count-tokens',
  'embed-content',
  'batch-embed-contents',
  'rerank',
  'moderations',
  'image-generations',
  'image-edits',
  'transcriptions',
  'translations',
  'speech',
  'ollama-chat',
  'ollama-generate',
  'ollama-embed',
  'ollama-embeddings',
  'bedrock-converse',
] as const
export type OperationId = (typeof operationIds)[number]

/** The operations and formats whose own fields, blocks and tools the canonical form can contain. */
export type FieldOwner = OperationId | ChannelFormatId

/**
 * Fields that only one operation knows, unchanged. They are written back unchanged to the same operation. Written to
 * another operation, each field is a loss.
 */
export interface Extras {
  readonly format: FieldOwner
  readonly fields: JsonObject
}

/** Joins the fields of an answer's start and end. The fields of the end override those of the start. */
export function joinExtras(start: Extras | undefined, end: Extras | undefined): Extras | undefined {
  if (start === undefined || end === undefined || start.format !== end.format) return end ?? start
  return { format: end.format, fields: { ...start.fields, ...end.fields } }
}
