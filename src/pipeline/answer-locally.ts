import type { AttemptLog } from './attempt/attempt-log.ts'
import type { ExchangeOutcome } from './exchange/exchange-outcome.ts'
import type { WholeReply } from './lane/lane.ts'
import { writeLocalHeaders } from './response/answer-headers.ts'
import { type AnsweredCaller, sendWhole } from './response/send-whole.ts'

interface AnsweredCall extends AnsweredCaller {
  readonly attempts: AttemptLog
}

/** Sends an answer that the gateway made itself. Its headers name no channel. */
export function answerLocally(call: AnsweredCall, publicName: string, reply: WholeReply): ExchangeOutcome {
  const { body, usage, losses } = reply
  const { attempts } = call
  const headers = writeLocalHeaders({ publicName, losses, attempts: attempts.rows.length })
  const outcome = sendWhole(call, { status: 200, headers, body })
  if (outcome.type === 'answered') attempts.answeredBy({ type: 'gateway', usage, losses })
  return outcome
}
