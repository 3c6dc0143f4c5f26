import { createFailure } from '../../../canonical/failure.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { parseJson } from '../../../kit/json/parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import { readErrorFrame } from '../../errors/read-error-frame.ts'
import type { StreamReader } from '../../wire-format.ts'
import { endReply } from './end-reply.ts'
import { readChunk } from './read-chunk.ts'
import { createReaderState, failAnswer, type ReaderState, takeEvents } from './reader-state.ts'

const noEvents: readonly ReplyEvent[] = []

/**
 * Reads the chunks of any server of the format. An answer is told to be over only at `[DONE]` or the end of the
 * stream, since usage, filter results and even words follow the finish reason of some servers.
 */
export function createStreamReader(): StreamReader {
  const state = createReaderState()
  return {
    push(frame) {
      if (state.isOver) return noEvents
      takeFrame(state, frame)
      return takeEvents(state)
    },
    end() {
      if (state.isOver) return noEvents
      endStream(state)
      return takeEvents(state)
    },
  }
}

function takeFrame(state: ReaderState, frame: SseFrame): void {
  const failure = readErrorFrame(frame)
  if (failure !== undefined) {
    failAnswer(state, failure)
    return
  }
  const text = frame.data?.trim() ?? ''
  if (text === '') return
  state.hasFrames = true
  if (text === '[DONE]') {
    endReply(state)
    return
  }
  try {
    const chunk = parseJson(text)
    if (isJsonObject(chunk)) readChunk(state, chunk, false)
    else failAnswer(state, createFailure('upstream_bad_response'))
  } catch {
    failAnswer(state, createFailure('upstream_bad_response'))
  }
}

/** Without `[DONE]`, an answer is whole if each of its choices named the reason of its end. */
function endStream(state: ReaderState): void {
  const choices = [...state.choices.values()]
  const isWhole = choices.length > 0 && choices.every((choice) => choice.finish !== undefined)
  if (isWhole) endReply(state)
  else failAnswer(state, createFailure(state.hasFrames ? 'upstream_disconnected' : 'upstream_empty'))
}
