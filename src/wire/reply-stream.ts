import type { Loss } from '../canonical/loss.ts'
import type { ReplyEvent } from '../canonical/reply-event.ts'
import type { JsonObject } from '../kit/json/json.ts'
import type { SseFrame } from '../kit/sse/sse-parser.ts'
import type { AnswerForm } from './answer-form.ts'

/** Reads the frames of one stream. `push` and `end` never throw. No event follows a failure event. */
export interface StreamReader {
  push(frame: SseFrame): readonly ReplyEvent[]
  /**
   * Ends the reading when the upstream's stream is over. Open blocks end, or a failure reports that the stream was cut.
   */
  end(): readonly ReplyEvent[]
}

/** Turns events into the text of whole frames. */
export interface StreamWriter {
  push(event: ReplyEvent): string
  readonly losses: readonly Loss[]
  /** Whether the writer stores the text of each block, since its format repeats the text at the block's end. */
  readonly keepsText?: true | undefined
  /** The whole answer of the responses format, available when it is fully written. */
  readonly response?: JsonObject | undefined
}

export interface StreamWriterOptions extends AnswerForm {
  /** Whether to leave out empty fields, since the provider may not have sent them. */
  readonly isSparse?: boolean
  /** Whether the caller asked for usage in the stream, where the format lets callers choose. */
  readonly streamUsage: boolean
  readonly requestId: string
}
