import { createFailure } from '../../../canonical/failure.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { parseJson } from '../../../kit/json/parse-json.ts'
import { readErrorFrame } from '../../errors/read-error-frame.ts'
import type { StreamReader } from '../../wire-format.ts'
import { ReplyReader } from './reply-reader.ts'

const none: readonly ReplyEvent[] = []

/** Reads a streamed answer. The format has no terminator: the stream's end is the answer's, where a reason was named. */
export function createStreamReader(): StreamReader {
  const reader = new ReplyReader()
  return {
    push(frame) {
      if (reader.isOver) return none
      const failure =
        frame.event === undefined && frame.data !== undefined ? undefined : readErrorFrame(frame)
      if (failure !== undefined) return reader.fail(failure)
      const text = frame.data?.trim() ?? ''
      return text === '' || text === '[DONE]' ? none : readChunk(reader, text)
    },
    end: () => reader.end(),
  }
}

function readChunk(reader: ReplyReader, text: string): readonly ReplyEvent[] {
  try {
    const chunk = parseJson(text)
    if (isJsonObject(chunk)) return reader.take(chunk)
  } catch {
    // What the chunk held is not known.
  }
  return reader.fail(createFailure('upstream_bad_response'))
}
