import type { Loss, LossFeature } from '../../canonical/loss.ts'

/** Where a caller of the messages format finds each feature. */
const params = {
  'allowed-tools': 'tool_choice',
  audio: 'messages.content',
  'block-order': 'messages.content',
  'cache-mark': 'cache_control',
  choices: 'messages',
  citations: 'messages.content.citations',
  'custom-tool': 'tools',
  document: 'messages.content.document',
  'end-user': 'metadata.user_id',
  'foreign-block': 'messages.content',
  'foreign-field': 'messages',
  'foreign-tool': 'tools',
  'frequency-penalty': 'frequency_penalty',
  image: 'messages.content.image',
  'image-detail': 'messages.content.image',
  'json-output': 'output_config.format',
  'logit-bias': 'logit_bias',
  logprobs: 'logprobs',
  'max-output-tokens': 'max_tokens',
  'participant-name': 'messages.name',
  'parallel-tool-calls': 'tool_choice.disable_parallel_tool_use',
  'presence-penalty': 'presence_penalty',
  'reasoning-budget': 'thinking.budget_tokens',
  'reasoning-display': 'thinking.display',
  'reasoning-effort': 'output_config.effort',
  'redacted-thinking': 'messages.content.redacted_thinking',
  refusal: 'messages.content',
  sampling: 'temperature',
  'search-result': 'messages.content.search_result',
  seed: 'seed',
  'service-tier': 'service_tier',
  'stop-reason': 'stop_reason',
  'stop-sequences': 'stop_sequences',
  'system-position': 'system',
  thinking: 'messages.content.thinking',
  'thinking-mode': 'thinking',
  'thinking-signature': 'messages.content.thinking.signature',
  'tool-choice': 'tool_choice',
  'tool-input': 'messages.content.tool_use.input',
  'tool-result-content': 'messages.content.tool_result.content',
  'tool-result-error': 'messages.content.tool_result.is_error',
  'tool-strict': 'tools.strict',
  'top-k': 'top_k',
  'usage-detail': 'usage',
  verbosity: 'verbosity',
  video: 'messages.content',
} as const satisfies Record<LossFeature, string>

/** Features whose losses name the caller's own field, which says more than the feature. */
const namedByField: ReadonlySet<LossFeature> = new Set(['foreign-field'])
/** Features whose losses name the kind of block or tool, below the place where it stands. */
const namedByKind: ReadonlySet<LossFeature> = new Set(['foreign-block', 'foreign-tool'])

export function paramOf({ feature, field }: Loss): string {
  if (field === undefined) return params[feature]
  if (namedByField.has(feature)) return field
  return namedByKind.has(feature) ? `${params[feature]}.${field}` : params[feature]
}

/** What writing a request or an answer in the messages format can lose. */
export const losable: readonly LossFeature[] = [
  'allowed-tools',
  'audio',
  'choices',
  'citations',
  'custom-tool',
  'document',
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
  'refusal',
  'sampling',
  'seed',
  'service-tier',
  'stop-reason',
  'stop-sequences',
  'system-position',
  'thinking',
  'thinking-mode',
  'tool-choice',
  'tool-input',
  'usage-detail',
  'verbosity',
  'video',
]
