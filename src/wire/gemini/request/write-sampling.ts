import type { LossList } from '../../../canonical/loss.ts'
import type { ChatRequest } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { Dialect } from '../../dialect.ts'
import { askedTopLogprobs } from '../../fields/asked-top-logprobs.ts'
import { writeOutputFormat } from './write-output-format.ts'
import { writeReasoning } from './write-reasoning.ts'

interface ConfigTarget {
  readonly dialect: Dialect
  readonly losses: LossList
}

/** The maximum number of stop sequences that the service accepts. */
const MAX_STOPS = 5

/** Writes the sampling fields of `generationConfig`. Undefined if there is nothing to send. */
export function writeSampling(request: ChatRequest, target: ConfigTarget): JsonObject | undefined {
  const { losses } = target
  const penalties = writePenalties(request, target)
  const config = omitUndefined({
    candidateCount: request.choices,
    stopSequences: writeStops(request.stopSequences, losses),
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    presencePenalty: penalties.presencePenalty,
    frequencyPenalty: penalties.frequencyPenalty,
    seed: writeSeed(request.seed, losses),
    ...writeLogprobs(request, target),
    ...writeOutputFormat(request.outputFormat, losses),
    thinkingConfig: writeReasoning(request.reasoning, target),
  })
  return Object.keys(config).length === 0 ? undefined : config
}

/** Leaves out penalties that the model refuses ("Penalty is not enabled for this model"). It accepts 0. */
function writePenalties(
  { presencePenalty, frequencyPenalty }: ChatRequest,
  { dialect, losses }: ConfigTarget,
): Pick<ChatRequest, 'presencePenalty' | 'frequencyPenalty'> {
  const isAccepted = dialect.geminiModel?.penalties ?? true
  const limit = (feature: 'presence-penalty' | 'frequency-penalty', penalty: number | undefined) => {
    if (isAccepted || (penalty ?? 0) === 0) return penalty
    losses.lose(feature, 'dropped')
    return undefined
  }
  return omitUndefined({
    presencePenalty: limit('presence-penalty', presencePenalty),
    frequencyPenalty: limit('frequency-penalty', frequencyPenalty),
  })
}

/** Leaves out a request for log probabilities that the model refuses ("Logprobs is not enabled for …"). */
function writeLogprobs(request: ChatRequest, { dialect, losses }: ConfigTarget): JsonObject {
  const isAccepted = dialect.geminiModel?.logprobs ?? true
  if (isAccepted || request.logprobs !== true)
    return { responseLogprobs: request.logprobs, logprobs: askedTopLogprobs(request, losses) }
  losses.lose('logprobs', 'dropped')
  return {}
}

function writeStops(stops: readonly string[] | undefined, losses: LossList): readonly string[] | undefined {
  if (stops === undefined || stops.length === 0) return undefined
  if (stops.length <= MAX_STOPS) return stops
  losses.lose('stop-sequences', 'approximated')
  return stops.slice(0, MAX_STOPS)
}

const MAX_SEED = 0x7fff_ffff

/** The service accepts a seed only as a 32-bit integer. */
function writeSeed(seed: number | undefined, losses: LossList): number | undefined {
  if (seed === undefined || Math.abs(seed) <= MAX_SEED) return seed
  losses.lose('seed', 'dropped')
  return undefined
}
