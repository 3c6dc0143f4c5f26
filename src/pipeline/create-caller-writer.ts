import type { ConversationFormat, ScannedRequest, StreamWriter } from '../wire/wire-format.ts'

export interface StreamCaller {
  readonly format: ConversationFormat
  readonly scanned: ScannedRequest
  readonly requestId: string
}

/** Writes a stream as its caller asked for it. */
export function createCallerWriter({ format, scanned, requestId }: StreamCaller): StreamWriter {
  const streamUsage = format.asksForUsage(scanned)
  return format.createStreamWriter({ streamUsage, requestId, ...format.answerFormOf?.(scanned) })
}
