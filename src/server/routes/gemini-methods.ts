import type { OperationId } from '../../canonical/format.ts'

export interface GeminiMethod {
  readonly operation: OperationId
  readonly isStream: boolean
}

/** The methods that may follow the colon after a model's name (https://ai.google.dev/api, seen 2026-11-20). */
export const geminiMethods: ReadonlyMap<string, GeminiMethod> = new Map([
  ['generateContent', { operation: 'gemini', isStream: false }],
  ['streamGenerateContent', { operation: 'gemini', isStream: true }],
  ['countTokens', { operation: 'gemini-count-tokens', isStream: false }],
  ['embedContent', { operation: 'embed-content', isStream: false }],
  ['batchEmbedContents', { operation: 'batch-embed-contents', isStream: false }],
])
