import { GatewayError } from '../../canonical/failure.ts'
import type { ResponseOwner } from '../../objects/stored-response.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { Plan } from '../../routing/plan-attempts.ts'
import type { PriorRefusal, PriorState } from '../exchange/prior-state.ts'

type Place = Pick<Candidate, 'target' | 'credential'>

/**
 * What a request refers to is best served where its provider stores it, so that the owner is asked first; any other
 * target is given the whole conversation instead. Where its words are not here, only the owner can answer. What is not
 * known to be the key's own may be another's in the provider's one account, and goes on only where `allow_fields` name
 * the field, and to a single place. Throws what the caller is told where that leaves none.
 */
export function restrictToResponseOwner(plan: Plan, prior: PriorState | undefined): Plan {
  if (prior === undefined) return plan
  if (prior.type === 'unknown') return restrictToOne(plan, prior.refusal)
  const { owner } = prior
  const isOwned = (place: Place) => owner !== undefined && isOwner(place, owner)
  if (prior.before !== undefined && prior.own !== undefined)
    return { ...plan, candidates: ownFirst(plan, isOwned) }
  const candidates = plan.candidates.filter(isOwned)
  const excluded = plan.excluded.filter(isOwned)
  if (candidates.length + excluded.length === 0) throw refuse(prior.refusal)
  return { candidates, excluded }
}

export function isOwner(
  { target, credential }: Place,
  { channelName, credentialId }: Pick<ResponseOwner, 'channelName' | 'credentialId'>,
): boolean {
  return (
    target.channel.format === 'responses' &&
    target.channel.name === channelName &&
    credential?.id === credentialId
  )
}

function ownFirst({ candidates }: Plan, isOwned: (place: Place) => boolean): readonly Candidate[] {
  return [...candidates.filter(isOwned), ...candidates.filter((candidate) => !isOwned(candidate))]
}

const FIELD = 'previous_response_id'

function restrictToOne(plan: Plan, refusal: PriorRefusal): Plan {
  const takesUnknown = ({ target: { channel } }: Place) =>
    channel.format === 'responses' && channel.allowFields.has(FIELD)
  const candidates = plan.candidates.filter(takesUnknown)
  const excluded = plan.excluded.filter(takesUnknown)
  const places = new Set([...candidates, ...excluded].map(placeOf))
  if (places.size !== 1) throw refuse(refusal)
  return { candidates, excluded }
}

function placeOf({ target, credential }: Place): string {
  return `${target.channel.name} ${credential?.id}`
}

function refuse({ code, param, message }: PriorRefusal): GatewayError {
  return new GatewayError(code, { param, message })
}
