import type { Loss, LossFeature } from '../../../canonical/loss.ts'

/** The field of the responses format in which a caller finds each lost feature. */
const params = {
  'allowed-tools': 'tool_choice',
  audio: 'input.content.input_audio',
  'block-order': 'input',
  'cache-mark': 'input.content.prompt_cache_breakpoint',
  choices: 'input',
  citations: 'input.content.annotations',
  'custom-tool': 'tools',
  document: 'input.content.input_file',
  'end-user': 'user',
  'foreign-block': 'input.type',
  'foreign-field': 'input',
  'foreign-tool': 'tools.type',
  'frequency-penalty': 'frequency_penalty',
  image: 'input.content.input_image',
  'image-detail': 'input.content.input_image.detail',
  'json-output': 'text.format',
  'logit-bias': 'logit_bias',
  logprobs: 'top_logprobs',
  'max-output-tokens': 'max_output_tokens',
  'participant-name': 'input.name',
  'parallel-tool-calls': 'parallel_tool_calls',
  'presence-penalty': 'presence_penalty',
  'reasoning-budget': 'reasoning',
  'reasoning-display': 'reasoning.summary',
  'reasoning-effort': 'reasoning.effort',
  'redacted-thinking': 'input.encrypted_content',
  refusal: 'input.content.refusal',
  sampling: 'temperature',
  'search-result': 'input.content',
  seed: 'seed',
  'service-tier': 'service_tier',
  'stop-reason': 'status',
  'stop-sequences': 'stop',
  'system-position': 'input.role',
  thinking: 'input.reasoning',
  'thinking-mode': 'reasoning',
  'thinking-signature': 'input.encrypted_content',
  'token-count': 'input',
  'tool-choice': 'tool_choice',
  'tool-input': 'input.arguments',
  'tool-name': 'tools.name',
  'tool-result-content': 'input.output',
  'tool-result-error': 'input.output',
  'tool-strict': 'tools.strict',
  'top-k': 'top_k',
  'turn-order': 'input',
  'usage-detail': 'usage',
  verbosity: 'text.verbosity',
  video: 'input.content',
} as const satisfies Record<LossFeature, string>

/**
 * Writers name a lost field by its path, which begins with `messages` in other formats. Fields of a message itself are
 * stored on its blocks, so their path also contains `content.message`.
 */
export function paramOf({ feature, field }: Loss): string {
  if (field === undefined) return params[feature]
  if (feature === 'foreign-field') return field.replace(/^messages(?:\.content\.message)?(?=\.|$)/, 'input')
  if (feature === 'sampling' && field === 'top_p') return field
  return feature === 'foreign-block' || feature === 'foreign-tool'
    ? `${params[feature]}.${field}`
    : params[feature]
}

/** The features that can be lost when a request or an answer is written in the responses format. */
export const possibleLosses: readonly LossFeature[] = [
  'audio',
  'cache-mark',
  'choices',
  'citations',
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
  'max-output-tokens',
  'parallel-tool-calls',
  'participant-name',
  'presence-penalty',
  'reasoning-budget',
  'reasoning-display',
  'reasoning-effort',
  'redacted-thinking',
  'sampling',
  'search-result',
  'seed',
  'service-tier',
  'stop-reason',
  'stop-sequences',
  'thinking',
  'thinking-mode',
  'tool-choice',
  'tool-input',
  'tool-name',
  'tool-result-content',
  'tool-result-error',
  'tool-strict',
  'top-k',
  'turn-order',
  'usage-detail',
  'verbosity',
  'video',
]
