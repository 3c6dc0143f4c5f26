import type { LossFeature } from '../../../canonical/loss.ts'
import type { ChatRequest } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { fitSampling } from '../../claude-models/fit-sampling.ts'
import { requestsStandardTier } from '../../requested-tier.ts'
import type { WriteContext } from './write-context.ts'
import type { WrittenReasoning } from './write-reasoning.ts'

export interface WrittenInference {
  readonly inferenceConfig: JsonObject
  /** The fields to merge into the model's own fields. */
  readonly fields: JsonObject
  readonly serviceTier: JsonObject | undefined
}

/** Writes the sampling fields and the stop sequences. */
export function writeSampling(
  request: ChatRequest,
  { maxTokens, isThinking }: WrittenReasoning,
  context: WriteContext,
): WrittenInference {
  declareForeign(request, context)
  const { dialect, losses } = context
  const { temperature, topP, topK } = fitSampling({ request, dialect, losses }, isThinking)
  const stopSequences = writeStopSequences(request.stopSequences, context)
  return {
    inferenceConfig: omitUndefined({ maxTokens, temperature, topP, stopSequences }),
    fields: writeTopK(topK, context),
    serviceTier: writeServiceTier(request.serviceTier, context),
  }
}

/**
 * Declares settings that only other formats have. A penalty of zero, one choice and no logprobs lose nothing, since
 * they are the default.
 */
function declareForeign(request: ChatRequest, context: WriteContext): void {
  const unsupported: readonly (readonly [LossFeature, boolean])[] = [
    ['presence-penalty', (request.presencePenalty ?? 0) !== 0],
    ['frequency-penalty', (request.frequencyPenalty ?? 0) !== 0],
    ['seed', request.seed !== undefined],
    ['choices', (request.choices ?? 1) > 1],
    ['logprobs', request.logprobs === true || request.topLogprobs !== undefined],
    ['logit-bias', request.logitBias !== undefined],
    ['verbosity', request.verbosity !== undefined],
    ['end-user', request.endUser !== undefined],
  ]
  for (const [feature, isSet] of unsupported) if (isSet) context.losses.lose(feature, 'dropped')
}

/** Writes `top_k`. Claude and Nova have a field for it, each at its own path. Other models have no such field. */
function writeTopK(topK: number | undefined, context: WriteContext): JsonObject {
  if (topK === undefined) return {}
  switch (context.model.topK) {
    case 'top_k':
      return { top_k: topK }
    case 'inferenceConfig':
      return { inferenceConfig: { topK } }
    case 'none':
      context.losses.lose('top-k', 'dropped')
      return {}
  }
}

function writeStopSequences(
  sequences: readonly string[] | undefined,
  context: WriteContext,
): readonly string[] | undefined {
  const usable = sequences?.filter((sequence) => sequence.trim() !== '')
  if (usable?.length !== sequences?.length) context.losses.lose('stop-sequences', 'dropped')
  return usable?.length === 0 && sequences?.length !== 0 ? undefined : usable
}

const tiers: ReadonlySet<string> = new Set(['default', 'flex', 'priority', 'reserved'])

/**
 * Writes the service tier. `auto` and the standard tier of other formats become the default tier
 * (API_runtime_ServiceTier.html, seen 2026-11-20).
 */
function writeServiceTier(tier: string | undefined, context: WriteContext): JsonObject | undefined {
  if (tier === undefined) return undefined
  if (tiers.has(tier)) return { type: tier }
  const isStandard = tier === 'auto' || requestsStandardTier(tier)
  context.losses.lose('service-tier', isStandard ? 'approximated' : 'dropped')
  return isStandard ? { type: 'default' } : undefined
}
