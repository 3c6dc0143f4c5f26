import type { Catalog } from '../catalog/catalog.ts'
import type { Random } from '../kit/random/random.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { RoutingState } from '../routing/attempt-sequence.ts'
import { type Plan, planAttempts } from '../routing/plan-attempts.ts'
import type { Exchange } from './exchange/exchange.ts'
import { findSession } from './exchange/find-session.ts'
import { restrictToHolder } from './references/restrict-to-holder.ts'
import { restrictPlan } from './stored-responses/restrict-plan.ts'

export interface PlanInput {
  readonly exchange: Exchange
  /** The catalog of the request. It stays the same until the request ends. */
  readonly catalog: Catalog
}

export interface PlanDependencies {
  readonly routingState: Pick<RoutingState, 'health' | 'inFlight' | 'latency' | 'rotation'>
  readonly random: Random
  readonly clock: Clock
}

/**
 * Plans which targets may be called at this moment, in order, and which not and why. Throws `GatewayError` where no
 * target can ever be called.
 */
export function plan({ exchange, catalog }: PlanInput, dependencies: PlanDependencies): Plan {
  const { routingState, random, clock } = dependencies
  const { health, inFlight, latency, rotation } = routingState
  const all = planAttempts({
    route: exchange.route,
    catalog,
    operation: exchange.kind,
    monotonicMs: clock.monotonicMs(),
    atMs: clock.nowMs(),
    isStream: exchange.scanned.isStream,
    facts: { health, inFlight, latency, rotation, random },
    // The target of the conversation's earlier turns matters only where there is a choice.
    session: exchange.route.targets.length > 1 ? findSession(exchange) : undefined,
  })
  const planned = restrictToHolder(all, exchange.callerRequest)
  return exchange.kind === 'conversation' && exchange.format.continuesResponses === true
    ? restrictPlan(planned, exchange)
    : planned
}
