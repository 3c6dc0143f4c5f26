import type { Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { ResponseWriter } from '../response/response-writer.ts'

/** How much of an answer was shown, by which its tokens can be estimated. */
export interface ShownAmount {
  /** Events that showed something; each holds at least a token. */
  readonly pieces: number
  readonly characters: number
}

const CHARACTERS_A_TOKEN = 4

/** At least about so many tokens. */
export function countShownTokens({ pieces, characters }: ShownAmount): number {
  return Math.max(pieces, Math.ceil(characters / CHARACTERS_A_TOKEN))
}

/** What is measured of every call, however it ended. */
interface AttemptFacts {
  readonly upstreamStatus: number | undefined
  readonly usage: Usage | undefined
  /** Where the answer names one. */
  readonly servedTier?: ServedTier | undefined
  /** Of a stream; undefined where nothing of it was shown. */
  readonly shown?: ShownAmount | undefined
  readonly losses: readonly Loss[]
  readonly headMs: number | undefined
  readonly firstContentMs: number | undefined
  readonly totalMs: number
}

/** How one call ended. */
export type AttemptEnding =
  | { readonly type: 'answered' }
  | {
      readonly type: 'failed'
      readonly failure: Failure
      /** The transport's own message, for the log. */
      readonly cause?: string
      /** The same call may be sent once more on a new connection: no byte of an answer had come on a reused one. */
      readonly isStaleConnection?: boolean
    }
  | { readonly type: 'caller-gone' }

/** What one call came to. */
export type AttemptOutcome = AttemptEnding & AttemptFacts

/** A call on a dead pooled connection is no evidence about the upstream. No retry once the caller has seen content. */
export function mayRetryOnNewConnection(
  outcome: AttemptOutcome,
  writer: Pick<ResponseWriter, 'hasContent'>,
): boolean {
  return outcome.type === 'failed' && outcome.isStaleConnection === true && !writer.hasContent
}
