import { createFailure, type Failure } from '../canonical/failure.ts'
import { findExceeded, type JsonBounds } from '../kit/json-bounds.ts'

/**
 * What one whole answer, or one event of a stream, may hold. Real answers nest some 20 levels; the most values come
 * with likelihoods, some 200 for each token. Beyond these bounds walking or writing a value overflows the stack, or
 * holds up everybody else.
 */
export const answerBounds: JsonBounds = { depth: 256, values: 250_000 }

/** Why JSON of an upstream is not parsed; undefined where it may be. */
export function refuseJson(text: string): Failure | undefined {
  const exceeded = findExceeded(text, answerBounds)
  if (exceeded === undefined) return undefined
  const message =
    exceeded === 'depth'
      ? 'The model provider sent an answer that is nested too deeply.'
      : 'The model provider sent an answer that holds too many values.'
  return createFailure('upstream_bad_response', { message })
}
