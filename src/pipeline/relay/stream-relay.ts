import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { MediaBounds } from '../../wire/operations/media-format.ts'

/**
 * Reads an upstream's stream and returns what the caller gets: the same frames (verbatim lane), or other frames with
 * the same meaning (translated lane). It is synchronous, and returns nothing more after a failure or the end.
 */
export interface StreamRelay {
  /** Returns the bytes to pass on, in order and in complete frames; empty while a frame is incomplete. */
  push(chunk: Buffer): StreamParts
  /** Returns the bytes to add when the upstream's stream is over. Sets `failure` if the stream was cut. */
  end(): StreamParts
  /** Whether content of an answer has arrived. */
  readonly hasContent: boolean
  /** Grows with every event that shows a part of the answer. Pings and comments do not change it. */
  readonly progress: number
  /** The approximate number of characters of text, reasoning and tool inputs that were shown. */
  readonly shownCharacters: number
  /** Whether the answer is complete, so that further bytes are not needed. */
  readonly isComplete: boolean
  readonly failure: Failure | undefined
  readonly usage: Usage | undefined
  /** Whether every part of the answer has its reason to end, after which only its usage may follow. */
  readonly hasStopReason?: boolean
  /** The number of images that have begun, in a stream of images. */
  readonly made?: number
  /** The service tier, if the answer names one. */
  readonly servedTier: ServedTier | undefined
  readonly losses: readonly Loss[]
  /** The number of buffered bytes of the stream: an incomplete event, and what translation holds until the end. */
  readonly heldBytes: number
  /** Whether the stream states the reason for its end, after which nothing of the answer is missing. */
  readonly statesEnd?: true
  /** The bounds of the stream, if they are not those of conversations. */
  readonly bounds?: MediaBounds
}

/**
 * Bytes or text for the caller. Parts are not joined, since a copy of each chunk would be held for every slow reader.
 */
export type StreamParts = readonly (Buffer | string)[]

export const noParts: StreamParts = []

/** The size from which a single frame is a fault of the upstream. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024

export function frameTooLarge(): Failure {
  return createFailure('upstream_bad_response', {
    message: 'The model provider sent one event that is larger than this gateway accepts.',
  })
}
