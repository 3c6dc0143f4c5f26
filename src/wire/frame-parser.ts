import type { Failure } from '../canonical/failure.ts'
import type { SseParser } from '../kit/sse/sse-parser.ts'

/** Cuts an upstream's bytes into frames, however the upstream frames them. */
export interface FrameParser extends SseParser {
  /** Set where the framing itself reports that the stream failed; the frames before it remain valid. */
  readonly failure?: Failure | undefined
}
