import { GatewayError } from '../../canonical/failure.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Channel } from '../../catalog/channel.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { Plan } from '../../routing/plan-attempts.ts'
import { fieldValue } from '../../wire/verbatim/scan-body.ts'
import type { BodySource, ConversationExchange, Exchange } from '../exchange/exchange.ts'
import { type PriorOwner, type PriorRefusal, type PriorState, restoreBody } from '../exchange/prior-state.ts'
import { openReading } from '../exchange/read-in-turns.ts'
import { itemsFor } from '../exchange/stored-conversation.ts'
import type { ReasoningSeal } from '../reasoning/reasoning-seal.ts'

type Account = Pick<Candidate, 'target' | 'credential'>
type OwnerOnly = Extract<PriorState, { readonly type: 'owner-only' }>
type Restorable = Extract<PriorState, { readonly type: 'restorable' }>

const CONVERSATION = 'conversation'

/** Restricts the plan to targets that may serve the responses and conversations to which the request refers. */
export function restrictPlan(plan: Plan, exchange: ConversationExchange): Plan {
  return restrictToResponseOwner(restrictToConversationChannels(plan, exchange), exchange.prior)
}

/**
 * Restricts a request in a conversation to channels whose `allow_fields` name the field. The callers of every key write
 * into the conversations of one provider account, and no conversation is created through this gateway, so its owner
 * cannot be verified. Channels of other formats refuse the field themselves. Throws `field_not_allowed` if no candidate
 * is left.
 */
function restrictToConversationChannels(plan: Plan, { scanned }: ConversationExchange): Plan {
  const field = scanned.fields.get(CONVERSATION)
  if (field === undefined || fieldValue(scanned.body, field) === null) return plan
  const candidates = plan.candidates.filter(acceptsConversation)
  const excluded = plan.excluded.filter(acceptsConversation)
  if (candidates.length + excluded.length > 0) return { candidates, excluded }
  throw new GatewayError('field_not_allowed', {
    param: CONVERSATION,
    message: `The field "${CONVERSATION}" names what the provider keeps for all callers of this gateway, so no channel of this model allows it. Leave it out, and go on with "previous_response_id" or send the whole conversation in "input".`,
  })
}

/**
 * Whether the channel's provider can have the responses and conversations to which a request refers. Only providers of
 * this format can.
 */
function storesResponses({ format }: Pick<Channel, 'format'>): boolean {
  return format === 'responses'
}

function acceptsConversation({ target: { channel } }: Pick<Candidate, 'target'>): boolean {
  return !storesResponses(channel) || channel.allowFields.has(CONVERSATION)
}

/**
 * Orders the plan by the answers to which a request refers. Their owner serves the request best and is called first.
 * Any other target gets the whole conversation instead. If the content is not stored here, only the owner can answer.
 * An answer that is not known to belong to the key may belong to another key, since all keys share one provider
 * account. The request is then sent only where `allow_fields` names the field, and to a single credential. Throws the
 * caller's error if no candidate is left.
 */
function restrictToResponseOwner(plan: Plan, prior: PriorState | undefined): Plan {
  switch (prior?.type) {
    case undefined:
      return plan
    case 'unknown':
      return restrictToOne(plan, prior.refusal)
    case 'unavailable':
      throw refuse(prior.refusal)
    case 'owner-only':
      return restrictToOwner(plan, prior)
    case 'restorable':
      return { ...plan, candidates: ownerFirst(plan, prior.owner) }
  }
}

function restrictToOwner(plan: Plan, { owner, refusal }: OwnerOnly): Plan {
  const isOwned = (account: Account) => isOwner(account, owner)
  const candidates = plan.candidates.filter(isOwned)
  const excluded = plan.excluded.filter(isOwned)
  if (candidates.length + excluded.length === 0) throw refuse(refusal)
  return { candidates, excluded }
}

function ownerFirst({ candidates }: Plan, owner: PriorOwner | undefined): readonly Candidate[] {
  if (owner === undefined) return candidates
  const isOwned = (account: Account) => isOwner(account, owner)
  return [...candidates.filter(isOwned), ...candidates.filter((candidate) => !isOwned(candidate))]
}

function isOwner({ target, credential }: Account, { account }: PriorOwner): boolean {
  const { channel } = target
  return (
    storesResponses(channel) &&
    channel.name === account.channelName &&
    credential?.id === account.credentialId
  )
}

const PREVIOUS_RESPONSE = 'previous_response_id'

function restrictToOne(plan: Plan, refusal: PriorRefusal): Plan {
  const acceptsUnknown = ({ target: { channel } }: Account) =>
    storesResponses(channel) && channel.allowFields.has(PREVIOUS_RESPONSE)
  const candidates = plan.candidates.filter(acceptsUnknown)
  const excluded = plan.excluded.filter(acceptsUnknown)
  const accounts = new Set([...candidates, ...excluded].map(nameOf))
  if (accounts.size !== 1) throw refuse(refusal)
  return { candidates, excluded }
}

function nameOf({ target, credential }: Account): string {
  return `${target.channel.name} ${credential?.id}`
}

function refuse({ code, param, message }: PriorRefusal): GatewayError {
  return new GatewayError(code, { param, message })
}

/**
 * The request in the form for one target. The owner of the earlier answers gets their own IDs, and every other target
 * gets the whole conversation.
 */
export function restoreForTarget(
  exchange: ConversationExchange,
  candidate: Candidate,
  seal: Pick<ReasoningSeal, 'accountOf'>,
): Exchange {
  const { prior } = exchange
  switch (prior?.type) {
    case undefined:
    case 'unknown':
    case 'unavailable':
      return exchange
    case 'owner-only':
      return { ...exchange, source: sourceForOwner(prior.owner) }
    case 'restorable':
      return restore({ ...exchange, prior }, candidate, seal.accountOf(candidate.target.channel))
  }
}

function sourceForOwner({ upstreamPreviousId }: PriorOwner): BodySource {
  return { type: 'caller', upstreamPreviousId }
}

/**
 * The request with the whole conversation as its input. If the owner is called in its own format, it still gets the
 * body.
 */
function restore(
  exchange: ConversationExchange & { readonly prior: Restorable },
  candidate: Candidate,
  account: string,
): Exchange {
  const { scanned, format } = exchange
  const { owner, before, own } = exchange.prior
  const { read: readRequests, readSteps } = openReading(scanned, (body) =>
    readRestored(body, format, () => itemsFor([...before, ...own], account)),
  )
  const isOwned = owner !== undefined && isOwner(candidate, owner)
  const source: BodySource = isOwned ? sourceForOwner(owner) : { type: 'rewritten' }
  return { ...exchange, readRequests, readSteps, source }
}

function* readRestored(
  body: JsonObject,
  format: ConversationExchange['format'],
  listItems: () => readonly JsonValue[],
): Steps<readonly ChatRequest[]> {
  const items = listItems()
  yield
  return [yield* format.readRequestInSteps(restoreBody(body, items))]
}
