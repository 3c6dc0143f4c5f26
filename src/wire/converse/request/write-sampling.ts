import type { ChatRequest } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { fitSampling } from '../../claude-models/fit-sampling.ts'
import { dropBlankStops, loseForeignSettings } from '../../fields/lose-settings.ts'
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
  const { dialect, losses } = context
  loseForeignSettings(request, losses)
  if (request.endUser !== undefined) losses.lose('end-user', 'dropped')
  const { temperature, topP, topK } = fitSampling({ request, dialect, losses }, isThinking)
  const stopSequences = dropBlankStops(request.stopSequences, losses)
  return {
    inferenceConfig: omitUndefined({ maxTokens, temperature, topP, stopSequences }),
    fields: writeTopK(topK, context),
    serviceTier: writeServiceTier(request.serviceTier, context),
  }
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
