import type { Candidate } from '../../routing/candidate.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { restoreBody } from '../exchange/prior-state.ts'
import { openReading } from '../exchange/read-in-turns.ts'
import { itemsFor } from '../exchange/stored-conversation.ts'
import type { ReasoningSeal } from '../reasoning/reasoning-seal.ts'
import { isOwner } from './restrict-to-response-owner.ts'

/**
 * The request as this target takes it: the owner of what it refers to gets its own ids, every other target the whole
 * conversation.
 */
export function restoreForTarget(
  exchange: Exchange,
  candidate: Candidate,
  seal: Pick<ReasoningSeal, 'accountOf'>,
): Exchange {
  if (exchange.kind !== 'conversation' || exchange.prior === undefined) return exchange
  const { prior, scanned, format } = exchange
  if (prior.type === 'unknown') return exchange
  const { owner, upstreamPreviousId, before, own } = prior
  const isOwned = owner !== undefined && isOwner(candidate, owner)
  if (before === undefined || own === undefined) return { ...exchange, upstreamPreviousId }
  const account = seal.accountOf(candidate.target.channel)
  const { read: readRequests, stages } = openReading(scanned, (body) => {
    const items = itemsFor([...before, ...own], account)
    return [format.readRequest(restoreBody(body, items))]
  })
  return isOwned
    ? { ...exchange, readRequests, stages, upstreamPreviousId }
    : { ...exchange, readRequests, stages, isRewritten: true }
}
