import type { LossFeature, LossList } from '../../../canonical/loss.ts'
import type { ChatRequest } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { fitSampling } from '../../claude-models/fit-sampling.ts'
import { requestsStandardTier } from '../../requested-tier.ts'
import type { WriteContext } from './write-context.ts'

/** Writes the sampling fields and the stop sequences. */
export function writeSampling(context: WriteContext, isThinking: boolean): JsonObject {
  const { request, losses } = context
  declareForeign(request, losses)
  const { temperature, topP, topK } = fitSampling(context, isThinking)
  const stopSequences = writeStopSequences(request.stopSequences, losses)
  const serviceTier = writeServiceTier(request.serviceTier, losses)
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(topK === undefined ? {} : { top_k: topK }),
    ...(stopSequences === undefined ? {} : { stop_sequences: stopSequences }),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
  }
}

/**
 * Declares settings that only other formats have. A penalty of zero, one choice and no logprobs lose nothing, since
 * they are the default.
 */
function declareForeign(request: ChatRequest, losses: LossList): void {
  const unsupported: readonly (readonly [LossFeature, boolean])[] = [
    ['presence-penalty', (request.presencePenalty ?? 0) !== 0],
    ['frequency-penalty', (request.frequencyPenalty ?? 0) !== 0],
    ['seed', request.seed !== undefined],
    ['choices', (request.choices ?? 1) > 1],
    ['logprobs', request.logprobs === true || request.topLogprobs !== undefined],
    ['logit-bias', request.logitBias !== undefined],
    ['verbosity', request.verbosity !== undefined],
  ]
  for (const [feature, isSet] of unsupported) {
    if (isSet) losses.lose(feature, 'dropped')
  }
}

/** Writes the stop sequences. Blank ones are left out, since the provider refuses them (seen 2026-11-20). */
function writeStopSequences(
  sequences: readonly string[] | undefined,
  losses: LossList,
): readonly string[] | undefined {
  const usable = sequences?.filter((sequence) => sequence.trim() !== '')
  if (usable?.length !== sequences?.length) losses.lose('stop-sequences', 'dropped')
  return usable?.length === 0 && sequences?.length !== 0 ? undefined : usable
}

function writeServiceTier(tier: string | undefined, losses: LossList): string | undefined {
  if (tier === undefined || tier === 'auto' || tier === 'standard_only') return tier
  const isStandard = requestsStandardTier(tier)
  losses.lose('service-tier', isStandard ? 'approximated' : 'dropped')
  return isStandard ? 'standard_only' : undefined
}
