import { createFailure } from '../../../canonical/failure.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { parseJson } from '../../../kit/json/parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import { readErrorFrame } from '../../errors/read-error-frame.ts'
import type { StreamReader } from '../../wire-format.ts'
import { ReplyReader } from './reply-reader.ts'

const none: readonly ReplyEvent[] = []

/** Reads a streamed answer. It is over with `message-end`; `[DONE]` after it says nothing more, and may be missing. */
export function createStreamReader(): StreamReader {
  const reader = new ReplyReader()
  let hasFrames = false
  return {
    push(frame) {
      const failure = reader.isOver ? undefined : readErrorFrame(frame)
      if (failure !== undefined) return reader.fail(failure)
      const text = frame.data?.trim() ?? ''
      if (text === '' || text === '[DONE]' || reader.isOver) return none
      hasFrames = true
      return readFrame(reader, frame, text)
    },
    end() {
      if (reader.isOver) return none
      return reader.fail(createFailure(hasFrames ? 'upstream_disconnected' : 'upstream_empty'))
    },
  }
}

/** The event is named in the frame and in its data. */
function readFrame(reader: ReplyReader, { event: name }: SseFrame, text: string): readonly ReplyEvent[] {
  try {
    const event = parseJson(text)
    if (!isJsonObject(event)) return reader.fail(createFailure('upstream_bad_response'))
    const isNamed = event['type'] !== undefined || name === undefined || name === ''
    return reader.take(isNamed ? event : { ...event, type: name })
  } catch {
    return reader.fail(createFailure('upstream_bad_response'))
  }
}
