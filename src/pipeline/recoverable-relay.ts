import { createFailure } from '../canonical/failure.ts'
import type { ReplyEvent } from '../canonical/reply-event.ts'
import type { FrameParser } from '../wire/frame-parser.ts'
import type { StreamReader, StreamWriter } from '../wire/wire-format.ts'
import type { AnswerRecord } from './answer-record.ts'
import { AnswerVerifier } from './answer-verifier.ts'
import type { StreamRelay } from './stream-relay.ts'
import { createTranslatedRelay } from './translated-relay.ts'

export interface RecoverableParts {
  readonly reader: StreamReader
  readonly record: AnswerRecord
  /** When the answer was made, where the upstream's format does not say it. */
  readonly createdAtSeconds: number
  /** Of server-sent events where it is not said. */
  readonly parser?: FrameParser
}

/**
 * A relay of one generation of an answer. The first is taken down as it is shown; a later one shows nothing before it
 * has said again what was shown, and fails where it says something else.
 */
export function createRecoverableRelay({ reader, record, ...parts }: RecoverableParts): StreamRelay {
  const checked = record.hasStarted ? createVerifyingReader(reader, record) : reader
  return createTranslatedRelay({ ...parts, reader: checked, writer: createNotingWriter(record) })
}

function createNotingWriter(record: AnswerRecord): StreamWriter {
  return {
    push(event) {
      record.note(event)
      return record.writer.push(event)
    },
    get losses() {
      return record.writer.losses
    },
  }
}

function createVerifyingReader(reader: StreamReader, record: AnswerRecord): StreamReader {
  const verifier = new AnswerVerifier(record)
  let isOver = false
  function verify(events: readonly ReplyEvent[]): readonly ReplyEvent[] {
    const fresh: ReplyEvent[] = []
    for (const event of events) {
      if (isOver) break
      const taken = verifier.take(event)
      isOver = taken === 'diverged'
      if (taken === 'diverged')
        fresh.push({ type: 'failure', failure: createFailure('answer_not_reproduced') })
      else fresh.push(...taken)
    }
    return fresh
  }
  return { push: (frame) => verify(reader.push(frame)), end: () => verify(reader.end()) }
}
