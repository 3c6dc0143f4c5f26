import type { FieldTable } from '../../fields/field-table.ts'

/**
 * Every field of an answer of the Gemini format, by path, and where its value goes; `wire/fields/field-table.ts`
 * explains how to read the tables. https://ai.google.dev/api/generate-content and the types of @google/genai 3.1.0,
 * seen 2026-11-20.
 */
export const responseFields = {
  candidates: 'named',
  createTime: 'named',
  modelStatus: 'extras',
  modelVersion: 'named',
  promptFeedback: 'extras',
  responseId: 'named',
  usageMetadata: 'named',
  // Clients add these two fields to the answers that they received.
  automaticFunctionCallingHistory: 'derived',
  sdkHttpResponse: 'derived',
} as const satisfies FieldTable

export const candidateFields = {
  avgLogprobs: 'extras',
  citationMetadata: 'named',
  content: 'named',
  continuationToken: 'extras',
  finishMessage: 'extras',
  finishReason: 'named',
  groundingMetadata: 'named',
  index: 'derived',
  logprobsResult: 'named',
  safetyRatings: 'extras',
  tokenCount: 'derived',
  urlContextMetadata: 'extras',
} as const satisfies FieldTable

/** A count marked `derived` follows from other counts and is computed again. */
export const usageFields = {
  cacheTokensDetails: 'derived',
  cachedContentTokenCount: 'named',
  candidatesTokenCount: 'named',
  candidatesTokensDetails: 'named',
  initialPromptTokenCount: 'derived',
  promptTokenCount: 'named',
  promptTokensDetails: 'named',
  thoughtsTokenCount: 'named',
  toolUsePromptTokenCount: 'named',
  toolUsePromptTokensDetails: 'named',
  totalTokenCount: 'named',
  trafficType: 'extras',
} as const satisfies FieldTable

/** Fields in the service's answers that the SDK's type does not name. */
export const moreUsageFields = { serviceTier: 'named' } as const satisfies FieldTable

export const groundingFields = {
  googleMapsWidgetContextToken: 'extras',
  groundingChunks: 'named',
  groundingSupports: 'named',
  imageSearchQueries: 'extras',
  retrievalMetadata: 'extras',
  retrievalQueries: 'extras',
  searchEntryPoint: 'extras',
  sourceFlaggingUris: 'extras',
  webSearchQueries: 'extras',
} as const satisfies FieldTable

export const citationFields = {
  endIndex: 'named',
  license: 'extras',
  publicationDate: 'extras',
  startIndex: 'named',
  title: 'named',
  uri: 'named',
} as const satisfies FieldTable
