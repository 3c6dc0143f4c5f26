import type { AttemptLog } from './attempt/attempt-log.ts'
import type { ExchangeOutcome } from './exchange/exchange-outcome.ts'
import type { WholeReply } from './lane/lane.ts'
import { type ResponseWriter, writeLocalHeaders } from './response/response-writer.ts'

interface AnsweredCall {
  readonly writer: ResponseWriter
  readonly attempts: AttemptLog
}

/** An answer that no channel gave names none. */
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
