import { createFailure, type Failure } from '../canonical/failure.ts'
import { findExceeded, type JsonBounds } from '../kit/json/scan-object.ts'

/**
 * The most that one whole answer, or one event of a stream, may hold. Real answers nest some 20 levels; the most values
 * come with likelihoods, some 200 for each token. Beyond these bounds walking or writing a value overflows the stack,
 * or holds up everybody else.
 */
export const answerBounds: JsonBounds = { depth: 256, values: 250_000 }

/**
 * The most that one answer of vectors may hold: flat lists of numbers, for which there is room up to 2,048 vectors of
 * 4,096 numbers. Objects and arrays cost many times more each, and vectors need few of them.
 */
export const vectorBounds: JsonBounds = { depth: 16, values: 10_000_000, containers: 100_000 }

/** Refuses JSON of an upstream before it is parsed; undefined where it may be. */
export function refuseJson(text: string, bounds = answerBounds): Failure | undefined {
  const exceeded = findExceeded(text, bounds)
  return exceeded === undefined ? undefined : refuseExceeded(exceeded)
}

export function refuseExceeded(exceeded: keyof JsonBounds): Failure {
  const message =
    exceeded === 'depth'
      ? 'The model provider sent an answer that is nested too deeply.'
      : 'The model provider sent an answer that holds too many values.'
  return createFailure('upstream_bad_response', { message })
}
