import type { Failure } from '../canonical/failure.ts'
import type { ServedTier } from '../canonical/served-tier.ts'
import type { Usage } from '../canonical/usage.ts'
import type { JsonObject } from '../kit/json/json.ts'
import type { SseFrame } from '../kit/sse/sse-parser.ts'

/** The meaning of one frame of a stream to the relay, without translating it. */
export interface FrameInspection {
  /** Whether the frame shows the caller something of the answer. */
  readonly hasContent: boolean
  /** Set where the frame has only usage, which the upstream sends when asked for it. */
  readonly isUsageOnly: boolean
  /** Whether the event is not the format's own, though clients would take it for one. */
  readonly isForeign?: boolean
  readonly failure?: Failure
  /** The bytes that replace the frame. */
  readonly bytes?: Buffer
}

export interface StreamWatcher {
  /** Frames must be whole; a frame that is not valid JSON is a failure. Never throws. */
  inspect(frame: SseFrame): FrameInspection
  /** The upstream named a reason for its end. */
  readonly hasStopReason: boolean
  /** The format's own terminator was seen. */
  readonly isTerminated: boolean
  readonly usage: Usage | undefined
  /** The service tier, where the answer names one. */
  readonly servedTier: ServedTier | undefined
  /** The characters of text, reasoning and tool inputs that were emitted, roughly. */
  readonly shownCharacters: number
  readonly model: string | undefined
  /** The response in the last event that carried it, in the responses format. */
  readonly response?: JsonObject | undefined
}

export interface WatchedReply {
  readonly usage?: Usage
  /** The service tier, where the answer names one. */
  readonly servedTier?: ServedTier
  readonly model?: string
  readonly failure?: Failure
}
