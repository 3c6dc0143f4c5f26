import type { FieldTable } from '../../fields/field-table.ts'

/**
 * Every field of a request of the Gemini format, by path, and where its value goes; `wire/fields/field-table.ts`
 * explains how to read the tables. The names are those of the official SDK. On the wire, `snake_case` names are equally
 * valid (proto JSON). A test compares the tables with the types of the SDK, in both directions.
 */
export const requestFields = {
  cachedContent: 'named',
  contents: 'named',
  generationConfig: 'named',
  labels: 'extras',
  modelArmorConfig: 'extras',
  safetySettings: 'extras',
  serviceTier: 'named',
  store: 'extras',
  systemInstruction: 'named',
  toolConfig: 'named',
  tools: 'named',
} as const satisfies FieldTable

/** The fields that the path contains; see `wire/verbatim/parse-body.ts`. */
export const pathFields = { model: 'named', stream: 'named' } as const satisfies FieldTable

export const generationConfigFields = {
  audioTimestamp: 'extras',
  audioTranscriptionConfig: 'extras',
  candidateCount: 'named',
  enableAffectiveDialog: 'extras',
  enableEnhancedCivicAnswers: 'extras',
  frequencyPenalty: 'named',
  logprobs: 'named',
  maxOutputTokens: 'named',
  mediaResolution: 'extras',
  modelSelectionConfig: 'extras',
  presencePenalty: 'named',
  responseFormat: 'extras',
  responseJsonSchema: 'named',
  responseLogprobs: 'named',
  responseMimeType: 'named',
  responseModalities: 'named',
  responseSchema: 'named',
  routingConfig: 'extras',
  seed: 'named',
  speechConfig: 'extras',
  stopSequences: 'named',
  temperature: 'named',
  thinkingConfig: 'named',
  topK: 'named',
  topP: 'named',
  translationConfig: 'extras',
} as const satisfies FieldTable

/** Fields from the documentation and the SDK's configuration that the SDK's type does not name. */
export const moreGenerationConfigFields = {
  imageConfig: 'extras',
  // A second name that the API reference has for `responseJsonSchema`.
  _responseJsonSchema: 'named',
} as const satisfies FieldTable

export const thinkingConfigFields = {
  includeThoughts: 'named',
  thinkingBudget: 'named',
  thinkingLevel: 'named',
} as const satisfies FieldTable

export const contentFields = { parts: 'named', role: 'named' } as const satisfies FieldTable

export const partFields = {
  audioTranscription: 'extras',
  codeExecutionResult: 'named',
  executableCode: 'named',
  fileData: 'named',
  functionCall: 'named',
  functionResponse: 'named',
  inlineData: 'named',
  mediaProcessing: 'extras',
  mediaResolution: 'extras',
  partMetadata: 'extras',
  speechMetadata: 'extras',
  text: 'named',
  thought: 'named',
  thoughtSignature: 'named',
  toolCall: 'named',
  toolResponse: 'named',
  videoMetadata: 'extras',
} as const satisfies FieldTable

export const blobFields = {
  data: 'named',
  displayName: 'named',
  mimeType: 'named',
} as const satisfies FieldTable

export const fileDataFields = {
  displayName: 'named',
  fileUri: 'named',
  mimeType: 'named',
} as const satisfies FieldTable

export const functionCallFields = {
  args: 'named',
  id: 'named',
  name: 'named',
  partialArgs: 'extras',
  willContinue: 'extras',
} as const satisfies FieldTable

export const functionResponseFields = {
  id: 'named',
  name: 'named',
  parts: 'named',
  response: 'named',
  scheduling: 'extras',
  willContinue: 'extras',
} as const satisfies FieldTable

/** Any other field of a tool entry is a tool that the provider runs, and stays unchanged. */
export const toolFields = { functionDeclarations: 'named' } as const satisfies FieldTable
export const functionDeclarationFields = {
  behavior: 'extras',
  description: 'named',
  name: 'named',
  parameters: 'named',
  parametersJsonSchema: 'named',
  response: 'extras',
  responseJsonSchema: 'extras',
} as const satisfies FieldTable

export const toolConfigFields = {
  functionCallingConfig: 'named',
  includeServerSideToolInvocations: 'extras',
  retrievalConfig: 'extras',
} as const satisfies FieldTable

export const functionCallingConfigFields = {
  allowedFunctionNames: 'named',
  mode: 'named',
  streamFunctionCallArguments: 'extras',
} as const satisfies FieldTable
