import { GatewayError } from '../canonical/failure.ts'
import type { Candidate } from '../routing/candidate.ts'
import type { Plan } from '../routing/plan-attempts.ts'
import { fieldValue } from '../wire/scan-body.ts'
import type { Exchange } from './exchange.ts'
import type { KeptAnswer, KeptAnswers } from './kept-answers.ts'

const FIELD = 'previous_response_id'

/**
 * A request that goes on from an answer can only be served where that answer is kept: by the same credential of the same
 * channel. What nobody here knows of goes on where a single place could keep it. Throws `previous_response_not_found`,
 * upon which clients send the whole conversation.
 */
export function pinToHolder(plan: Plan, exchange: Exchange, kept: KeptAnswers): Plan {
  const id = findPrevious(exchange)
  if (id === undefined) return plan
  const holder = kept.find(id, exchange.received.caller.keyId)
  if (holder !== undefined) {
    const candidates = plan.candidates.filter((candidate) => isHolder(candidate, holder))
    const excluded = plan.excluded.filter((candidate) => isHolder(candidate, holder))
    if (candidates.length + excluded.length === 0) throw notFound(id)
    return { candidates, excluded }
  }
  const able = plan.candidates.filter(({ target }) => target.channel.format === 'responses')
  const places = new Set(able.map(({ target, credential }) => `${target.channel.name} ${credential?.id}`))
  if (kept.has(id) || places.size > 1) throw notFound(id)
  return places.size === 0 ? plan : { ...plan, candidates: able }
}

function findPrevious({ format, scanned }: Exchange): string | undefined {
  if (format.id !== 'responses') return undefined
  const field = scanned.fields.get(FIELD)
  const value = field === undefined ? undefined : fieldValue(scanned.body, field)
  return typeof value === 'string' && value !== '' ? value : undefined
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
    message: `Previous response with id ${JSON.stringify(id.slice(0, 128))} not found: no channel of this model is known to keep it. Leave "${FIELD}" out and send the whole conversation in "input".`,
  })
}
