import type { Failure } from '../canonical/failure.ts'
import type { Reply } from '../canonical/reply.ts'
import { type CallersTools, createCallRestorer, restoreCalls } from '../canonical/restore-calls.ts'
import type { JsonValue } from '../kit/json.ts'
import type { ChannelFormat, StreamReader } from '../wire/wire-format.ts'
import { isFailure } from './exchange.ts'

/** How the answers of a channel are read, calls under the names that the caller gave the tools. */
export type AnswerFormat = Pick<ChannelFormat, 'readReply' | 'createStreamReader'>

export function restoreAnswers(format: AnswerFormat, tools: CallersTools | undefined): AnswerFormat {
  if (tools === undefined) return format
  return {
    readReply(body: JsonValue): Reply | Failure {
      const reply = format.readReply(body)
      return isFailure(reply) ? reply : restoreCalls(reply, tools)
    },
    createStreamReader(): StreamReader {
      const reader = format.createStreamReader()
      const restore = createCallRestorer(tools)
      return {
        push: (frame) => reader.push(frame).flatMap(restore),
        end: () => reader.end().flatMap(restore),
      }
    },
  }
}
