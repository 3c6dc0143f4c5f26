import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { fitSampling } from '../../claude-models/fit-sampling.ts'
import { dropBlankStops, loseForeignSettings } from '../../fields/lose-settings.ts'
import { requestsStandardTier } from '../../requested-tier.ts'
import type { WriteContext } from './write-context.ts'

/** Writes the sampling fields and the stop sequences. */
export function writeSampling(context: WriteContext, isThinking: boolean): JsonObject {
  const { request, losses } = context
  loseForeignSettings(request, losses)
  const { temperature, topP, topK } = fitSampling(context, isThinking)
  const stopSequences = dropBlankStops(request.stopSequences, losses)
  const serviceTier = writeServiceTier(request.serviceTier, losses)
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(topK === undefined ? {} : { top_k: topK }),
    ...(stopSequences === undefined ? {} : { stop_sequences: stopSequences }),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
  }
}

function writeServiceTier(tier: string | undefined, losses: LossList): string | undefined {
  if (tier === undefined || tier === 'auto' || tier === 'standard_only') return tier
  const isStandard = requestsStandardTier(tier)
  losses.lose('service-tier', isStandard ? 'approximated' : 'dropped')
  return isStandard ? 'standard_only' : undefined
}
