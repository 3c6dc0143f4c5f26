import type { LossList } from '../../../canonical/loss.ts'
import type { ChatRequest } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { Dialect } from '../../dialect.ts'
import type { WriteContext } from './write-context.ts'

/** The service rejects smaller caps (error "integer_below_min_value", seen 2026-11-20). */
const MIN_OUTPUT_TOKENS = 16

export function writeSampling(request: ChatRequest, { dialect, losses }: WriteContext): JsonObject {
  return omitUndefined({
    max_output_tokens: writeCap(request.maxOutputTokens, dialect, losses),
    temperature: request.temperature,
    top_p: request.topP,
    top_logprobs: request.topLogprobs,
  })
}

function writeCap(
  cap: number | undefined,
  { maxOutputTokens: maxCap = Number.POSITIVE_INFINITY }: Dialect,
  losses: LossList,
): number | undefined {
  if (cap === undefined || (cap >= MIN_OUTPUT_TOKENS && cap <= maxCap)) return cap
  losses.lose('max-output-tokens', 'approximated')
  return cap < MIN_OUTPUT_TOKENS ? MIN_OUTPUT_TOKENS : maxCap
}
