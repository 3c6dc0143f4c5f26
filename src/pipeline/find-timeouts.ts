import type { Target } from '../catalog/catalog.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { Provider } from '../providers/provider.ts'
import { reasonsByItself } from '../providers/reasons-by-itself.ts'
import type { AttemptSequence, RoutingState } from '../routing/attempt-sequence.ts'
import { asksForReasoning } from './asks-for-reasoning.ts'
import { type AttemptTimeouts, planTimeouts } from './attempt/plan-timeouts.ts'
import type { Exchange } from './exchange/exchange.ts'

export interface TimeoutInput {
  readonly exchange: Exchange
  readonly sequence: Pick<AttemptSequence, 'hasOther'>
  readonly target: Target
  readonly provider: Provider
}

export interface TimeoutDependencies {
  readonly clock: Clock
  readonly routingState: Pick<RoutingState, 'latency'>
}

/** How long a stream of this target may show nothing, by what is known when it has been silent for a while. */
export function findTimeouts(
  { exchange, sequence, target, provider }: TimeoutInput,
  { clock, routingState }: TimeoutDependencies,
): AttemptTimeouts {
  const nowMs = clock.monotonicMs()
  const asked = asksForReasoning(exchange.scanned)
  const { wholeHeadersMs, progressMs } = target.channel.timeouts
  return planTimeouts({
    hasOther: sequence.hasOther(nowMs),
    mayReason: asked === 'on' || (asked === 'unsaid' && reasonsByItself(provider, target)),
    loadsModels: provider.loadsModels === true,
    inputBytes: exchange.callerRequest.body.length,
    usualMs: routingState.latency.of(target, true, nowMs),
    wholeMs: wholeHeadersMs,
    progressMs,
  })
}
