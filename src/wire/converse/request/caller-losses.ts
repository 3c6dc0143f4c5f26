import type { Loss, LossFeature } from '../../../canonical/loss.ts'

/** The field of this format to name in the loss of each feature. */
const params: Partial<Record<LossFeature, string>> = {
  'cache-mark': 'messages.content.cachePoint',
  document: 'messages.content.document',
  'foreign-tool': 'toolConfig.tools',
  image: 'messages.content.image',
  'json-output': 'outputConfig.textFormat',
  'max-output-tokens': 'inferenceConfig.maxTokens',
  'reasoning-budget': 'additionalModelRequestFields.thinking',
  'reasoning-display': 'additionalModelRequestFields.thinking',
  'reasoning-effort': 'additionalModelRequestFields',
  sampling: 'inferenceConfig.temperature',
  'service-tier': 'serviceTier',
  'stop-sequences': 'inferenceConfig.stopSequences',
  'system-position': 'system',
  'thinking-mode': 'additionalModelRequestFields.thinking',
  'tool-choice': 'toolConfig.toolChoice',
  'tool-name': 'toolConfig.tools.toolSpec.name',
  'tool-strict': 'toolConfig.tools.toolSpec.strict',
  'top-k': 'additionalModelRequestFields.top_k',
  video: 'messages.content.video',
}

/** The field to name in a loss. Fields that only this format has keep their name. The default is the conversation. */
export function paramOf({ feature, field }: Loss): string {
  return feature === 'foreign-field' && field !== undefined ? field : (params[feature] ?? 'messages')
}

/** The features that this format cannot carry in answers. */
export const answerLosses: readonly LossFeature[] = [
  'audio',
  'choices',
  'citations',
  'custom-tool',
  'foreign-block',
  'foreign-field',
  'image',
  'logprobs',
  'refusal',
  'service-tier',
  'stop-reason',
  'tool-input',
  'usage-detail',
]
