import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import type { CallerConnection } from './caller-connection.ts'
import type { ResponseWriter, WholeAnswer } from './response-writer.ts'

export interface AnsweredCaller {
  readonly writer: Pick<ResponseWriter, 'sendWhole'>
  readonly callerConnection: Pick<CallerConnection, 'isGone'>
}

/** A caller that is gone was sent nothing. */
type SentWhole = Exclude<ExchangeOutcome, { readonly type: 'failed' }>

/**
 * Sends a whole answer. A caller that has disconnected gets none, so that its row does not say that it was answered.
 */
export function sendWhole({ writer, callerConnection }: AnsweredCaller, answer: WholeAnswer): SentWhole {
  if (callerConnection.isGone) return { type: 'caller-gone' }
  writer.sendWhole(answer)
  return { type: 'answered' }
}
