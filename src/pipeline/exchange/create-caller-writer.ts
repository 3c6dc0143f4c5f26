import type { AnswerForm, AnswerTimer } from '../../wire/answer-form.ts'
import type { StreamWriter } from '../../wire/reply-stream.ts'
import type { ConversationFormat, ScannedRequest } from '../../wire/wire-format.ts'
import type { ResponseRecorder } from './response-recorder.ts'

export interface StreamCaller {
  readonly format: ConversationFormat
  readonly scanned: ScannedRequest
  readonly requestId: string
  /** Stores the answer; undefined where the answer is not stored. */
  readonly recorder: ResponseRecorder | undefined
  /** The times of the request, for a format that states them. */
  readonly timer?: AnswerTimer | undefined
  /** Whether to leave out empty fields, since the provider may not have sent them. */
  readonly isSparse: boolean
  /**
   * Whether the caller asks for the cost in the usage. The usage is then written whatever the format's own field says.
   */
  readonly showsCost: boolean
}

/** Creates the writer of a stream in the form that the caller asked for. */
export function createCallerWriter({
  format,
  scanned,
  requestId,
  recorder,
  timer,
  isSparse,
  showsCost,
}: StreamCaller): StreamWriter {
  const streamUsage = showsCost || format.asksForUsage(scanned)
  const form = callerAnswerForm({ format, scanned, recorder, timer })
  const writer = format.createStreamWriter({ streamUsage, requestId, isSparse, ...form })
  return recorder?.form === undefined ? writer : createRecordingWriter(writer, recorder)
}

/** The form in which the caller expects its answer, and the IDs by which it may refer to it. */
export function callerAnswerForm({
  format,
  scanned,
  recorder,
  timer,
}: Omit<StreamCaller, 'requestId' | 'isSparse' | 'showsCost'>): AnswerForm {
  if (timer !== undefined) return { timer }
  const form = format.answerFormOf?.(scanned) ?? {}
  return recorder?.form === undefined ? form : { ...form, stored: recorder.form }
}

/** Creates a writer that stores the answer before its last event is sent. */
function createRecordingWriter(writer: StreamWriter, recorder: ResponseRecorder): StreamWriter {
  return {
    keepsText: writer.keepsText,
    push(event) {
      const output = writer.push(event)
      if (event.type === 'reply-end' && writer.response !== undefined) recorder.record(writer.response)
      return output
    },
    get losses() {
      return writer.losses
    },
  }
}
