import type { Failure } from '../canonical/failure.ts'
import type { ServedTier } from '../canonical/served-tier.ts'
import type { Usage } from '../canonical/usage.ts'
import type { JsonObject } from '../kit/json/json.ts'
import type { SseFrame } from '../kit/sse/sse-parser.ts'

/** The information that the relay needs about one frame of a stream, without translating the frame. */
export interface FrameInspection {
  /** Whether the frame contains a part of the answer that the caller sees. */
  readonly hasContent: boolean
  /** Whether the frame contains only usage, which the upstream sends when the gateway asks for it. */
  readonly isUsageOnly: boolean
  /** Whether the event is not part of the format although clients would parse it as if it were. */
  readonly isForeign?: boolean
  readonly failure?: Failure
  /** The bytes to forward instead of the frame. */
  readonly bytes?: Buffer
}

export interface StreamWatcher {
  /** Inspects one whole frame. A frame that is not valid JSON is a failure. Never throws. */
  inspect(frame: SseFrame): FrameInspection
  /** Whether the upstream sent a finish reason. */
  readonly hasStopReason: boolean
  /** Whether the format's own terminator was received. */
  readonly isTerminated: boolean
  readonly usage: Usage | undefined
  /** The service tier, where the answer reports one. */
  readonly servedTier: ServedTier | undefined
  /** The approximate number of characters of text, reasoning and tool inputs that were emitted. */
  readonly shownCharacters: number
  /** The response object of the last event that carried one, in the responses format. */
  readonly response?: JsonObject | undefined
}

export interface WatchedReply {
  readonly usage?: Usage
  /** The service tier, where the answer reports one. */
  readonly servedTier?: ServedTier
  readonly failure?: Failure
}
