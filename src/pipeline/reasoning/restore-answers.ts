import { type Failure, isFailure } from '../../canonical/failure.ts'
import type { Reply } from '../../canonical/reply.ts'
import type { ReplyEvent } from '../../canonical/reply-event.ts'
import { type CallersTools, createCallRestorer, restoreCalls } from '../../canonical/restore-calls.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import type { Steps } from '../../kit/values/steps.ts'
import type { ChannelFormat, StreamReader } from '../../wire/wire-format.ts'

/** Reads the answers of a channel, with calls under the names that the caller gave the tools. */
export type AnswerFormat = Pick<ChannelFormat, 'readReplyInSteps' | 'createStreamReader'>

export interface AskedFor {
  /** The upstream's name of the model, for answers that name none. */
  readonly model: string
  /** The ID for answers that have none. */
  readonly id: string
  readonly tools: CallersTools | undefined
}

export function restoreAnswers(format: AnswerFormat, { model, id, tools }: AskedFor): AnswerFormat {
  return {
    *readReplyInSteps(body: JsonValue): Steps<Reply | Failure> {
      const reply = yield* format.readReplyInSteps(body)
      if (isFailure(reply)) return reply
      const named = { ...reply, model: reply.model || model, id: reply.id || id }
      if (tools === undefined) return named
      yield
      return restoreCalls(named, tools)
    },
    createStreamReader(): StreamReader {
      const reader = nameAnswer(format.createStreamReader(), { model, id })
      if (tools === undefined) return reader
      const restore = createCallRestorer(tools)
      return {
        push: (frame) => reader.push(frame).flatMap(restore),
        end: () => reader.end().flatMap(restore),
      }
    },
  }
}

/** Fills in the names at the start of an answer; what follows is passed on as it is. */
function nameAnswer(reader: StreamReader, { model, id }: Pick<AskedFor, 'model' | 'id'>): StreamReader {
  let hasStarted = false
  const name = (events: readonly ReplyEvent[]) => {
    if (hasStarted || events.length === 0) return events
    hasStarted = true
    return events.map((event) =>
      event.type === 'reply-start' ? { ...event, model: event.model || model, id: event.id || id } : event,
    )
  }
  return { push: (frame) => name(reader.push(frame)), end: () => name(reader.end()) }
}
