import { type Failure, isFailure } from '../../canonical/failure.ts'
import type { Reply } from '../../canonical/reply.ts'
import type { ReplyEvent } from '../../canonical/reply-event.ts'
import { type CallerTools, createCallRestorer, restoreCalls } from '../../canonical/restore-calls.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import type { SseFrame } from '../../kit/sse/sse-parser.ts'
import type { StreamReader } from '../../wire/reply-stream.ts'
import type { ChannelFormat } from '../../wire/wire-format.ts'

/** Reads the answers of a channel. Calls carry the names that the caller gave the tools. */
export type AnswerFormat = Pick<ChannelFormat, 'readReplyInSteps' | 'createStreamReader'>

/** The names for an answer that does not state them. */
interface AnswerNames {
  /** The upstream's name of the model. */
  readonly model: string
  readonly id: string
}

export interface AnswerContext extends AnswerNames {
  readonly tools: CallerTools | undefined
}

export function restoreAnswers(format: AnswerFormat, context: AnswerContext): AnswerFormat {
  const { model, id, tools } = context
  return {
    readReplyInSteps: (body) => readNamed(body, format, context),
    createStreamReader(): StreamReader {
      const reader = new NamingReader(format.createStreamReader(), { model, id })
      if (tools === undefined) return reader
      const restore = createCallRestorer(tools)
      return {
        push: (frame) => reader.push(frame).flatMap(restore),
        end: () => reader.end().flatMap(restore),
      }
    },
  }
}

function* readNamed(
  body: JsonValue,
  format: AnswerFormat,
  { model, id, tools }: AnswerContext,
): Steps<Reply | Failure> {
  const reply = yield* format.readReplyInSteps(body)
  if (isFailure(reply)) return reply
  const named = { ...reply, model: reply.model || model, id: reply.id || id }
  if (tools === undefined) return named
  yield
  return restoreCalls(named, tools)
}

/** Adds the names at the start of an answer. Everything else is passed on unchanged. */
class NamingReader implements StreamReader {
  readonly #reader: StreamReader
  readonly #names: AnswerNames
  #hasStarted = false

  constructor(reader: StreamReader, names: AnswerNames) {
    this.#reader = reader
    this.#names = names
  }

  push(frame: SseFrame): readonly ReplyEvent[] {
    return this.#name(this.#reader.push(frame))
  }

  end(): readonly ReplyEvent[] {
    return this.#name(this.#reader.end())
  }

  #name(events: readonly ReplyEvent[]): readonly ReplyEvent[] {
    if (this.#hasStarted || events.length === 0) return events
    this.#hasStarted = true
    const { model, id } = this.#names
    return events.map((event) =>
      event.type === 'reply-start' ? { ...event, model: event.model || model, id: event.id || id } : event,
    )
  }
}
