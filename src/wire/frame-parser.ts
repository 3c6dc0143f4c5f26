import type { Failure } from '../canonical/failure.ts'
import type { SseParser } from '../kit/sse/sse-parser.ts'

/** Splits an upstream's bytes into frames, in any framing. */
export interface FrameParser extends SseParser {
  /** Set where the framing itself reports that the stream failed. The frames before the failure remain valid. */
  readonly failure?: Failure | undefined
}
