import type { Loss, LossFeature } from '../../../canonical/loss.ts'

/** The field of the Gemini format that holds each feature. */
const params = {
  'allowed-tools': 'toolConfig.functionCallingConfig.allowedFunctionNames',
  audio: 'contents.parts.inlineData',
  'block-order': 'contents.parts',
  'cache-mark': 'cachedContent',
  choices: 'generationConfig.candidateCount',
  citations: 'contents.parts',
  'custom-tool': 'tools.functionDeclarations',
  document: 'contents.parts.inlineData',
  'end-user': 'labels',
  'foreign-block': 'contents.parts',
  'foreign-field': 'contents',
  'foreign-tool': 'tools',
  'frequency-penalty': 'generationConfig.frequencyPenalty',
  image: 'contents.parts.inlineData',
  'image-detail': 'contents.parts.mediaResolution',
  'json-output': 'generationConfig.responseJsonSchema',
  'logit-bias': 'generationConfig',
  logprobs: 'generationConfig.responseLogprobs',
  'max-output-tokens': 'generationConfig.maxOutputTokens',
  'participant-name': 'contents.role',
  'parallel-tool-calls': 'toolConfig',
  'presence-penalty': 'generationConfig.presencePenalty',
  'reasoning-budget': 'generationConfig.thinkingConfig.thinkingBudget',
  'reasoning-display': 'generationConfig.thinkingConfig.includeThoughts',
  'reasoning-effort': 'generationConfig.thinkingConfig.thinkingLevel',
  'redacted-thinking': 'contents.parts.thoughtSignature',
  refusal: 'contents.parts',
  sampling: 'generationConfig.temperature',
  'search-result': 'contents.parts',
  seed: 'generationConfig.seed',
  'service-tier': 'serviceTier',
  'stop-reason': 'candidates.finishReason',
  'stop-sequences': 'generationConfig.stopSequences',
  'system-position': 'systemInstruction',
  thinking: 'contents.parts.thought',
  'thinking-mode': 'generationConfig.thinkingConfig.thinkingBudget',
  'thinking-signature': 'contents.parts.thoughtSignature',
  'token-count': 'contents',
  'tool-choice': 'toolConfig.functionCallingConfig.mode',
  'tool-input': 'contents.parts.functionCall.args',
  'tool-name': 'tools.functionDeclarations.name',
  'tool-result-content': 'contents.parts.functionResponse',
  'tool-result-error': 'contents.parts.functionResponse.response',
  'tool-strict': 'tools.functionDeclarations',
  'top-k': 'generationConfig.topK',
  'turn-order': 'contents',
  'usage-detail': 'usageMetadata',
  verbosity: 'generationConfig',
  video: 'contents.parts.fileData',
} as const satisfies Record<LossFeature, string>

/** The path to report for a loss. Writers name a caller's field by its path, with the names of the chat format. */
export function paramOf({ feature, field }: Loss): string {
  if (field === undefined) return params[feature]
  if (feature === 'foreign-field') {
    return field
      .replace(/^messages\.(?:content|tool_calls)(?=\.|$)/, 'contents.parts')
      .replace(/^messages(?=\.|$)/, 'contents')
      .replace(/^tools(?=\.|$)/, 'tools.functionDeclarations')
  }
  if (feature === 'sampling' && field === 'top_p') return 'generationConfig.topP'
  return feature === 'foreign-block' || feature === 'foreign-tool'
    ? `${params[feature]}.${field}`
    : params[feature]
}

/** The features that writing a request or an answer in the Gemini format can lose. */
export const possibleLosses: readonly LossFeature[] = [
  'audio',
  'block-order',
  'cache-mark',
  'citations',
  'custom-tool',
  'document',
  'end-user',
  'foreign-block',
  'foreign-field',
  'foreign-tool',
  'frequency-penalty',
  'image',
  'image-detail',
  'json-output',
  'logit-bias',
  'logprobs',
  'parallel-tool-calls',
  'participant-name',
  'presence-penalty',
  'reasoning-budget',
  'reasoning-display',
  'reasoning-effort',
  'redacted-thinking',
  'refusal',
  'search-result',
  'seed',
  'service-tier',
  'stop-reason',
  'stop-sequences',
  'system-position',
  'thinking',
  'thinking-mode',
  'thinking-signature',
  'tool-choice',
  'tool-input',
  'tool-name',
  'tool-result-content',
  'tool-strict',
  'turn-order',
  'usage-detail',
  'verbosity',
  'video',
]
