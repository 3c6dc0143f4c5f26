import type { Failure } from '../../canonical/failure.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { SseFrame } from '../../kit/sse/sse-parser.ts'
import type { Operation, ScannedRequest } from '../wire-format.ts'

/** An operation on images or sound. Its answers may be JSON, text, events or bytes. */
export interface MediaOperation extends Operation {
  /**
   * Estimates the usage of an answer that does not report it, or that ended early. `made` is the number of images in
   * the answer, where it is known.
   */
  estimateUsage(scanned: ScannedRequest, made?: number): MediaEstimate
  createWatcher(scanned: ScannedRequest): MediaWatcher
  /** The maximum sizes of an answer. */
  readonly bounds: MediaBounds
}

export interface MediaBounds {
  /** The maximum size of one event of a stream. */
  readonly frameBytes: number
  /** The maximum size of a whole stream. */
  readonly streamBytes: number
  /** The maximum size of an answer that is not a stream. */
  readonly wholeBytes: number
}

/** The usage in tokens and in units; only one of the two is billed. */
export interface MediaEstimate {
  readonly tokens: Usage
  readonly units: Usage['toolCalls']
  /** Whether the units are an estimate as well. */
  readonly unitsAreEstimated: boolean
}

/** Watches the events of a stream that is forwarded unchanged. */
export interface MediaWatcher {
  /** Inspects one frame of the stream. Never throws. */
  inspect(frame: SseFrame): MediaInspection
  /** The usage that the stream reported; undefined until then. */
  readonly usage: Usage | undefined
  /** The number of parts of the answer, such as images, that have begun. */
  readonly made: number
  /** Whether everything that was requested has arrived, so that the stream may end. */
  readonly isDone: boolean
  /** Whether the stream's final event has arrived. */
  readonly isTerminated: boolean
}

export interface MediaInspection {
  readonly hasContent: boolean
  readonly failure?: Failure | undefined
}
