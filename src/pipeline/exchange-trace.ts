import type { Failure } from '../canonical/failure.ts'
import type { Loss } from '../canonical/loss.ts'
import type { Usage } from '../canonical/usage.ts'
import type { Plan } from '../routing/plan-attempts.ts'
import type { AttemptRow } from '../telemetry/observer.ts'

/** What a request came to; filled in on its way, read once at its end. */
export interface ExchangeTrace {
  readonly attempts: AttemptRow[]
  plan: Plan
  model: string | undefined
  isStream: boolean
  /** Of the attempt that answered. */
  channel: string | undefined
  upstreamModel: string | undefined
  usage: Usage | undefined
  losses: readonly Loss[]
  failure: Failure | undefined
  cause: string | undefined
  callerLeft: boolean
  /** From the request's head to the first content for the caller. */
  firstContentMs: number | undefined
}

const emptyPlan: Plan = { candidates: [], excluded: [] }

export function startTrace(): ExchangeTrace {
  return {
    attempts: [],
    plan: emptyPlan,
    model: undefined,
    isStream: false,
    channel: undefined,
    upstreamModel: undefined,
    usage: undefined,
    losses: [],
    failure: undefined,
    cause: undefined,
    callerLeft: false,
    firstContentMs: undefined,
  }
}
