import { createFailure } from '../../canonical/failure.ts'
import type { Extras } from '../../canonical/format.ts'
import type { ReplyEvent } from '../../canonical/reply-event.ts'
import type { SseFrame } from '../../kit/sse/sse-parser.ts'
import type { FrameParser } from '../../wire/frame-parser.ts'
import type { StreamReader, StreamWriter } from '../../wire/reply-stream.ts'
import type { CostOf } from '../exchange/answer-cost.ts'
import type { ShownTranscript } from '../exchange/shown-transcript.ts'
import { ReplayVerifier } from './replay-verifier.ts'
import type { StreamRelay } from './stream-relay.ts'
import { createTranslatedRelay } from './translated-relay.ts'

export interface RecoverableRelayOptions {
  readonly reader: StreamReader
  readonly transcript: ShownTranscript
  /** Reads the usage of a frame as the provider wrote it, where the caller speaks the same format. */
  readonly statedUsageOf?: ((frame: SseFrame) => Extras | undefined) | undefined
  /** Defined where the caller asks to see the answer's cost in the usage. */
  readonly costOf: CostOf | undefined
  /** The creation time of the answer, where the upstream's format does not state it. */
  readonly createdAtSeconds: number
  /** A parser of server-sent events by default. */
  readonly parser?: FrameParser
}

/**
 * Creates a relay of one generation of an answer. The first generation is recorded as it is shown. A later one shows
 * nothing until it has repeated what was shown, and fails if it differs.
 */
export function createRecoverableRelay({
  reader,
  transcript,
  statedUsageOf,
  ...parts
}: RecoverableRelayOptions): StreamRelay {
  const stating = statedUsageOf === undefined ? reader : createStatingReader(reader, statedUsageOf)
  const checked = transcript.hasStarted ? new VerifyingReader(stating, transcript) : stating
  return createTranslatedRelay({ ...parts, reader: checked, writer: createTranscribingWriter(transcript) })
}

/** Passes usage on as the provider sent it, so that it gains no detail that was not measured. */
function createStatingReader(
  reader: StreamReader,
  statedUsageOf: (frame: SseFrame) => Extras | undefined,
): StreamReader {
  return {
    push(frame) {
      const events = reader.push(frame)
      if (!events.some(({ type }) => type === 'usage')) return events
      const stated = statedUsageOf(frame)
      if (stated === undefined) return events
      return events.map((event) => (event.type === 'usage' ? { ...event, stated } : event))
    },
    end: () => reader.end(),
  }
}

function createTranscribingWriter(transcript: ShownTranscript): StreamWriter {
  return {
    keepsText: transcript.writer.keepsText,
    push(event) {
      transcript.record(event)
      return transcript.writer.push(event)
    },
    get losses() {
      return transcript.writer.losses
    },
  }
}

class VerifyingReader implements StreamReader {
  readonly #reader: StreamReader
  readonly #verifier: ReplayVerifier
  #hasDiverged = false

  constructor(reader: StreamReader, transcript: ShownTranscript) {
    this.#reader = reader
    this.#verifier = new ReplayVerifier(transcript)
  }

  push(frame: SseFrame): readonly ReplyEvent[] {
    return this.#verify(this.#reader.push(frame))
  }

  end(): readonly ReplyEvent[] {
    return this.#verify(this.#reader.end())
  }

  #verify(events: readonly ReplyEvent[]): readonly ReplyEvent[] {
    const fresh: ReplyEvent[] = []
    for (const event of events) {
      if (this.#hasDiverged) break
      const verified = this.#verifier.verify(event)
      this.#hasDiverged = verified === 'diverged'
      if (verified === 'diverged')
        fresh.push({ type: 'failure', failure: createFailure('answer_not_reproduced') })
      else fresh.push(...verified)
    }
    return fresh
  }
}
