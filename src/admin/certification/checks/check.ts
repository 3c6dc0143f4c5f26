// What a check is: calls of one channel and model, and what is concluded from their answers. Pure: its caller makes the
// calls.
import type { ChannelCall, ObservedCall } from '../call-channel.ts'
import type { CheckName, FindingCode, Outcome } from '../certification-contract.ts'

/** The conclusion, and the numbers and words that the finding mentions. */
export interface CheckVerdict {
  readonly outcome: Outcome
  readonly finding: FindingCode
  readonly details: Readonly<Record<string, string | number>>
}

/** Values that are new with each certification, so that no answer comes from a cache or by chance. */
export interface CheckContext {
  /** A word that no model says by itself. */
  readonly word: string
  /** The upstream's name of the model, by which our estimates choose a vocabulary. */
  readonly upstreamModel: string
}

/** Yields calls, gets their answers, returns what they show. */
export type CheckRun = Generator<ChannelCall, CheckVerdict, ObservedCall>

/** The bounds of a check, for the cost that is stated before. */
export interface CheckBounds {
  readonly calls: number
  /** The most of each call, as is the next. */
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface Check {
  readonly name: CheckName
  readonly bounds: CheckBounds
  run(context: CheckContext): CheckRun
}

export function works(finding: FindingCode, details: CheckVerdict['details'] = {}): CheckVerdict {
  return { outcome: 'works', finding, details }
}

export function fails(finding: FindingCode, details: CheckVerdict['details'] = {}): CheckVerdict {
  return { outcome: 'does_not_work', finding, details }
}

export function notOffered(finding: FindingCode, details: CheckVerdict['details'] = {}): CheckVerdict {
  return { outcome: 'not_offered', finding, details }
}

export function notTried(finding: FindingCode, details: CheckVerdict['details'] = {}): CheckVerdict {
  return { outcome: 'not_tried', finding, details }
}
