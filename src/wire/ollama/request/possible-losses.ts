import type { Loss, LossFeature } from '../../../canonical/loss.ts'

/** The field of this format in which a caller finds each lost feature. */
const params: Partial<Record<LossFeature, string>> = {
  'frequency-penalty': 'options.frequency_penalty',
  image: 'images',
  'json-output': 'format',
  logprobs: 'logprobs',
  'max-output-tokens': 'options.num_predict',
  'presence-penalty': 'options.presence_penalty',
  'reasoning-effort': 'think',
  sampling: 'options.temperature',
  seed: 'options.seed',
  'stop-sequences': 'options.stop',
  'thinking-mode': 'think',
  'tool-name': 'tools.function.name',
  'top-k': 'options.top_k',
}

/**
 * Returns the field of a loss. A field that only one format has is returned by its own name. Every feature without a
 * field is in the conversation.
 */
export function paramOf({ feature, field }: Loss): string {
  return feature === 'foreign-field' && field !== undefined ? field : (params[feature] ?? 'messages')
}

/** The features that this format cannot carry in answers. */
export const possibleLosses: readonly LossFeature[] = [
  'audio',
  'block-order',
  'choices',
  'citations',
  'custom-tool',
  'foreign-block',
  'foreign-field',
  'image',
  'logprobs',
  'redacted-thinking',
  'refusal',
  'service-tier',
  'stop-reason',
  'thinking-signature',
  'tool-input',
  'usage-detail',
]
