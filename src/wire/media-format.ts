import type { Failure } from '../canonical/failure.ts'
import type { Usage } from '../canonical/usage.ts'
import type { SseFrame } from '../kit/sse/sse-parser.ts'
import type { Operation, ScannedRequest } from './wire-format.ts'

/** An operation on images or sound, whose answers may be JSON, text, events or bytes. */
export interface MediaOperation extends Operation {
  /** The usage of an answer that states none, or of which no end was seen. */
  estimateUsage(scanned: ScannedRequest): MediaEstimate
  createWatcher(scanned: ScannedRequest): MediaWatcher
  /** The bounds of an answer. */
  readonly bounds: MediaBounds
}

export interface MediaBounds {
  /** The largest event of a stream. */
  readonly frameBytes: number
  /** The longest stream. */
  readonly streamBytes: number
  /** The largest answer that is not a stream. */
  readonly wholeBytes: number
}

/** The usage by tokens and by units: one of the two is billed. */
export interface MediaEstimate {
  readonly tokens: Usage
  readonly units: Usage['toolCalls']
  /** Whether the units are a guess as well. */
  readonly unitsAreEstimated: boolean
}

/** Watches the events of a stream that go on as they are. */
export interface MediaWatcher {
  /** Never throws. */
  inspect(frame: SseFrame): MediaInspection
  /** The usage that the stream stated; undefined before that. */
  readonly usage: Usage | undefined
  /** Whether all that was asked for has come, so that the stream may end. */
  readonly isDone: boolean
  /** Whether nothing more is to come. */
  readonly isTerminated: boolean
}

export interface MediaInspection {
  readonly hasContent: boolean
  readonly failure?: Failure | undefined
}
