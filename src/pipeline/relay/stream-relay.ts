import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { MediaBounds } from '../../wire/media-format.ts'

/**
 * Takes an upstream's stream and gives what the caller gets: the same frames (verbatim lane) or others of the same
 * meaning (translated lane). Synchronous; after a failure or the end it gives nothing more.
 */
export interface StreamRelay {
  /** Returns what to pass on, in order and in whole frames; empty where a frame is not whole yet. */
  push(chunk: Buffer): StreamParts
  /** Returns what to add when the upstream's stream is over. Sets `failure` where it was cut. */
  end(): StreamParts
  /** Whether something of an answer has come. */
  readonly hasContent: boolean
  /** Grows with everything that shows something of the answer; pings and comments leave it as it is. */
  readonly progress: number
  /** The approximate number of characters of words, reasoning and tool inputs that were shown. */
  readonly shownCharacters: number
  /** Whether the answer is whole, so that whatever else comes is of no use. */
  readonly isComplete: boolean
  readonly failure: Failure | undefined
  readonly usage: Usage | undefined
  /** The service tier, where the answer names one. */
  readonly servedTier: ServedTier | undefined
  readonly losses: readonly Loss[]
  /** The bytes of the stream that are buffered: an incomplete event, and what translation holds until the end. */
  readonly heldBytes: number
  /** The bounds of the stream, where they are not those of conversations. */
  readonly bounds?: MediaBounds
}

/** Bytes or text for the caller. Parts are not joined: a copy of each chunk would be held for every slow reader. */
export type StreamParts = readonly (Buffer | string)[]

export const noParts: StreamParts = []

/** A single frame larger than this is a fault of the upstream. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024

export function frameTooLarge(): Failure {
  return createFailure('upstream_bad_response', {
    message: 'The model provider sent one event that is larger than this gateway takes.',
  })
}
