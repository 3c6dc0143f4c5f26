import { createFailure, type Failure } from '../canonical/failure.ts'
import { findExceeded, type JsonBounds } from '../kit/json/scan-object.ts'

/**
 * The maximum that a whole answer, or one event of a stream, may contain. Real answers nest some 20 levels. The largest
 * value counts come with log probabilities, some 200 values for each token. Beyond these bounds, walking or writing a
 * value overflows the stack or blocks the event loop for all other requests.
 */
export const answerBounds: JsonBounds = { depth: 256, values: 250_000 }

/**
 * The maximum that an embeddings answer may contain: flat lists of numbers, with room for up to 2,048 vectors of 4,096
 * numbers. Objects and arrays cost many times more each, and embeddings need few of them.
 */
export const vectorBounds: JsonBounds = { depth: 16, values: 10_000_000, containers: 100_000 }

/**
 * Checks the JSON of an upstream before it is parsed. Returns a failure where it exceeds the bounds, else undefined.
 */
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
