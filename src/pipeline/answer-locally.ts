import type { ExchangeOutcome, ExchangeRecord } from './exchange/exchange-record.ts'
import type { WholeReply } from './lane/lane.ts'
import { type ResponseWriter, writeLocalHeaders } from './response/response-writer.ts'

interface AnsweredCall {
  readonly writer: ResponseWriter
  readonly record: ExchangeRecord
}

/** An answer that no channel gave names none. */
export function answerLocally(
  { writer, record }: AnsweredCall,
  publicName: string,
  reply: WholeReply,
): ExchangeOutcome {
  const headers = writeLocalHeaders({ publicName, losses: reply.losses, attempts: record.attempts.length })
  writer.sendWhole({ status: 200, headers, body: reply.body })
  record.usage = reply.usage
  record.losses = reply.losses
  return { type: 'answered' }
}
