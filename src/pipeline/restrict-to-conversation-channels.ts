import { GatewayError } from '../canonical/failure.ts'
import type { Candidate } from '../routing/candidate.ts'
import type { Plan } from '../routing/plan-attempts.ts'
import { fieldValue } from '../wire/verbatim/scan-body.ts'
import type { Exchange } from './exchange/exchange.ts'

const FIELD = 'conversation'

/**
 * Callers of every key write into the conversations of a provider's one account, and none is made through this gateway, so
 * that nobody can tell whose one is. A request in one goes only to channels whose `allow_fields` name the field; channels
 * of other formats refuse it themselves. Throws `field_not_allowed` where that leaves none.
 */
export function restrictToConversationChannels(plan: Plan, exchange: Exchange): Plan {
  if (!namesConversation(exchange)) return plan
  const candidates = plan.candidates.filter(mayTake)
  const excluded = plan.excluded.filter(mayTake)
  if (candidates.length + excluded.length > 0) return { candidates, excluded }
  throw new GatewayError('field_not_allowed', {
    param: FIELD,
    message: `The field "${FIELD}" names what the provider keeps for all callers of this gateway, so no channel of this model allows it. Leave it out, and go on with "previous_response_id" or send the whole conversation in "input".`,
  })
}

function namesConversation({ format, scanned }: Exchange): boolean {
  const field = format.id === 'responses' ? scanned.fields.get(FIELD) : undefined
  return field !== undefined && fieldValue(scanned.body, field) !== null
}

function mayTake({ target: { channel } }: Pick<Candidate, 'target'>): boolean {
  return channel.format !== 'responses' || channel.allowFields.has(FIELD)
}
