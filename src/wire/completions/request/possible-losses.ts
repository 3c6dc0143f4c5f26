import type { Loss, LossFeature } from '../../../canonical/loss.ts'

/** The field of this format in which a caller finds each lost feature. */
const params: Partial<Record<LossFeature, string>> = {
  choices: 'n',
  'end-user': 'user',
  'frequency-penalty': 'frequency_penalty',
  'logit-bias': 'logit_bias',
  logprobs: 'logprobs',
  'max-output-tokens': 'max_tokens',
  'presence-penalty': 'presence_penalty',
  sampling: 'temperature',
  seed: 'seed',
  'stop-sequences': 'stop',
  'top-k': 'top_k',
}

/**
 * Returns the field of a loss. A field that only one format has is returned by its own name. Every feature without a
 * field is in the prompt.
 */
export function paramOf({ feature, field }: Loss): string {
  const isNamed = feature === 'foreign-field' || feature === 'sampling'
  return isNamed && field !== undefined ? field : (params[feature] ?? 'prompt')
}

/** The features that this format cannot carry in answers. */
export const possibleLosses: readonly LossFeature[] = [
  'audio',
  'block-order',
  'citations',
  'foreign-block',
  'foreign-field',
  'image',
  'logprobs',
  'redacted-thinking',
  'refusal',
  'service-tier',
  'stop-reason',
  'thinking',
  'usage-detail',
]
