import type { OperationId } from '../../canonical/format.ts'

export interface GeminiMethod {
  readonly operation: OperationId
  readonly stream: boolean
}

/** The methods that may follow the colon after a model's name (https://ai.google.dev/api, seen 2026-11-20). */
export const geminiMethods: ReadonlyMap<string, GeminiMethod> = new Map([
  ['generateContent', { operation: 'gemini', stream: false }],
  ['streamGenerateContent', { operation: 'gemini', stream: true }],
  ['countTokens', { operation: 'gemini-count-tokens', stream: false }],
  ['embedContent', { operation: 'embed-content', stream: false }],
  ['batchEmbedContents', { operation: 'batch-embed-contents', stream: false }],
])
