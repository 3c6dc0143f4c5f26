import type { Loss } from '../../../canonical/loss.ts'
import type { ChatRequest } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { WriteContext } from './write-context.ts'

interface Range {
  readonly min: number
  readonly max: number
  readonly loss: Omit<Loss, 'kind'>
}

/** The inclusive ranges that the provider accepts (https://docs.cohere.com/reference/chat, seen 2026-11-20). */
const ranges = {
  p: { min: 0.01, max: 0.99, loss: { feature: 'sampling', field: 'top_p' } },
  k: { min: 0, max: 500, loss: { feature: 'top-k' } },
  frequencyPenalty: { min: 0, max: 1, loss: { feature: 'frequency-penalty' } },
  presencePenalty: { min: 0, max: 1, loss: { feature: 'presence-penalty' } },
} as const satisfies Record<string, Range>

const MAX_STOP_SEQUENCES = 5

export function writeSampling(request: ChatRequest, context: WriteContext): JsonObject {
  return omitUndefined({
    max_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    p: fitInto(request.topP, ranges.p, context),
    k: fitInto(request.topK, ranges.k, context),
    frequency_penalty: fitInto(request.frequencyPenalty, ranges.frequencyPenalty, context),
    presence_penalty: fitInto(request.presencePenalty, ranges.presencePenalty, context),
    seed: writeSeed(request.seed, context),
    stop_sequences: writeStops(request.stopSequences, context),
  })
}

/** Returns the value, or the nearest value in the range. Declares a loss if the value changes. */
function fitInto(value: number | undefined, range: Range, context: WriteContext): number | undefined {
  if (value === undefined) return undefined
  const fitted = Math.min(Math.max(value, range.min), range.max)
  if (fitted !== value) context.losses.lose(range.loss.feature, 'approximated', range.loss.field)
  return fitted
}

function writeSeed(seed: number | undefined, context: WriteContext): number | undefined {
  if (seed === undefined || seed >= 0) return seed
  context.losses.lose('seed', 'dropped')
  return undefined
}

function writeStops(
  sequences: readonly string[] | undefined,
  context: WriteContext,
): readonly string[] | undefined {
  if (sequences === undefined || sequences.length === 0) return undefined
  if (sequences.length <= MAX_STOP_SEQUENCES) return sequences
  context.losses.lose('stop-sequences', 'approximated')
  return sequences.slice(0, MAX_STOP_SEQUENCES)
}
