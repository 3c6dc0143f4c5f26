import type { ChatRequest } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { askedTopLogprobs } from '../../fields/asked-top-logprobs.ts'
import type { WriteContext } from './write-context.ts'

export function writeSampling(request: ChatRequest, context: WriteContext): JsonObject {
  const { maxTokensField, seedField, acceptsTopK } = context.dialect
  if (request.topK !== undefined && !acceptsTopK) context.losses.lose('top-k', 'dropped')
  return omitUndefined({
    [maxTokensField]: fitCap(request.maxOutputTokens, context),
    temperature: request.temperature,
    top_p: request.topP,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    top_k: acceptsTopK ? request.topK : undefined,
    [seedField]: request.seed,
    stop: writeStops(request.stopSequences, context),
    n: request.choices,
    logprobs: request.logprobs,
    top_logprobs: askedTopLogprobs(request, context.losses),
    logit_bias: request.logitBias,
  })
}

function writeStops(
  stops: readonly string[] | undefined,
  context: WriteContext,
): readonly string[] | undefined {
  const { maxStopSequences: max } = context.dialect
  if (stops?.length === 0) return undefined
  if (stops === undefined || max === undefined || stops.length <= max) return stops
  context.losses.lose('stop-sequences', 'approximated')
  return stops.slice(0, max)
}

function fitCap(cap: number | undefined, context: WriteContext): number | undefined {
  const { maxOutputTokens: max } = context.dialect
  if (cap === undefined || max === undefined || cap <= max) return cap
  context.losses.lose('max-output-tokens', 'approximated')
  return max
}
