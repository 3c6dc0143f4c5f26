import type { KeptAnswer } from '../access/kept-answer-store.ts'
import { GatewayError } from '../canonical/failure.ts'
import type { Candidate } from '../routing/candidate.ts'
import type { Plan } from '../routing/plan-attempts.ts'
import { fieldValue } from '../wire/scan-body.ts'
import type { Exchange } from './exchange.ts'
import { isAnswerId, type KeptAnswers } from './kept-answers.ts'

const FIELD = 'previous_response_id'

/**
 * A request that goes on from an answer can only be served where that answer is kept: by the same credential of the same
 * channel. What is not known to be the key's own may be another's in the provider's one account, and goes on only
 * where `allow_fields` name the field, and to a single place. Throws `previous_response_not_found`, upon which clients send the whole
 * conversation.
 */
export function pinToHolder(plan: Plan, exchange: Exchange, kept: KeptAnswers): Plan {
  const id = findPrevious(exchange)
  if (id === undefined) return plan
  const holder = kept.find(id, exchange.received.caller.keyId)
  const isUsable = (candidate: Pick<Candidate, 'target' | 'credential'>) =>
    holder === undefined ? takesUnknown(candidate) : isHolder(candidate, holder)
  const candidates = plan.candidates.filter(isUsable)
  const excluded = plan.excluded.filter(isUsable)
  const places = new Set([...candidates, ...excluded].map(placeOf))
  if (places.size === 0 || (holder === undefined && places.size > 1)) throw notFound(id)
  return { candidates, excluded }
}

function findPrevious({ format, scanned }: Exchange): string | undefined {
  if (format.id !== 'responses') return undefined
  const field = scanned.fields.get(FIELD)
  const value = field === undefined ? null : fieldValue(scanned.body, field)
  if (value === null || isAnswerId(value)) return value ?? undefined
  throw new GatewayError('invalid_field', {
    param: FIELD,
    message: `The field "${FIELD}" must be the id of a response, as a string.`,
  })
}

function placeOf({ target, credential }: Pick<Candidate, 'target' | 'credential'>): string {
  return `${target.channel.name} ${credential?.id}`
}

function takesUnknown({ target: { channel } }: Pick<Candidate, 'target'>): boolean {
  return channel.format === 'responses' && channel.allowFields.has(FIELD)
}

function isHolder(
  { target, credential }: Pick<Candidate, 'target' | 'credential'>,
  { channelName, credentialId }: KeptAnswer,
): boolean {
  return target.channel.name === channelName && credential?.id === credentialId
}

function notFound(id: string): GatewayError {
  return new GatewayError('previous_response_not_found', {
    param: FIELD,
    message: `Previous response with id ${JSON.stringify(id.slice(0, 128))} not found: this key got none of that id from a channel of this model. Leave "${FIELD}" out and send the whole conversation in "input".`,
  })
}
