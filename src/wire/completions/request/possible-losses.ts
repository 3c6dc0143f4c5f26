import type { Loss, LossFeature } from '../../../canonical/loss.ts'

/** The fields of this format in which a caller finds what was lost. */
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

/** Fields that only one format knows are named as they stand. What else a request has is its prompt. */
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
