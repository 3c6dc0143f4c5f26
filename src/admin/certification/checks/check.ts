// A check calls one channel and model and draws a conclusion from the responses. It is pure: its caller makes the
// calls.
import type { ChannelCall, ObservedCall } from '../call-channel.ts'
import type { CheckName, FindingCode, Outcome } from '../certification-contract.ts'

/** The conclusion, and the numbers and words that the finding mentions. */
export interface CheckVerdict {
  readonly outcome: Outcome
  readonly finding: FindingCode
  readonly details: Readonly<Record<string, string | number>>
}

/** Values that are new in each certification, so that no response comes from a cache or is right by chance. */
export interface CheckContext {
  /** A word that no model says by itself. */
  readonly word: string
  /** The upstream's name of the model, which selects the vocabulary for our estimates. */
  readonly upstreamModel: string
}

/** Yields calls, receives their responses, and returns the verdict. */
export type CheckRun = Generator<ChannelCall, CheckVerdict, ObservedCall>

/** The limits of a check, for the cost estimate before it starts. */
export interface CheckBounds {
  readonly calls: number
  /** The maximum input of each call. The next member is the maximum output. */
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
