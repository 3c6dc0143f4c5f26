import type { AttemptLog } from './attempt/attempt-log.ts'
import type { ExchangeOutcome } from './exchange/exchange-outcome.ts'
import type { WholeReply } from './lane/lane.ts'
import { writeLocalHeaders } from './response/answer-headers.ts'
import type { ResponseWriter } from './response/response-writer.ts'

interface AnsweredCall {
  readonly writer: ResponseWriter
  readonly attempts: AttemptLog
}

/** Sends an answer that the gateway made itself. Its headers name no channel. */
export function answerLocally(
  { writer, attempts }: AnsweredCall,
  publicName: string,
  reply: WholeReply,
): ExchangeOutcome {
  const { body, usage, losses } = reply
  const headers = writeLocalHeaders({ publicName, losses, attempts: attempts.rows.length })
  writer.sendWhole({ status: 200, headers, body })
  attempts.answeredBy({ type: 'gateway', usage, losses })
  return { type: 'answered' }
}
