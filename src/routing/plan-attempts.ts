import type { Catalog, Route, Target } from '../catalog/catalog.ts'
import type { Credential } from '../catalog/channel.ts'
import type { Hash } from '../kit/bytes/hash.ts'
import type { Random } from '../kit/values/random.ts'
import type { Candidate } from './candidate.ts'
import type { ShutReason } from './health/assess-health-impact.ts'
import type { HealthTracker } from './health/health-tracker.ts'
import type { LatencyTracker } from './order/latency-tracker.ts'
import type { OrderFacts } from './order/order-facts.ts'
import { orderTargets } from './order/order-targets.ts'
import { tiersOf } from './order/tiers-of.ts'
import type { ConcurrencyLimits } from './queue/concurrency-limits.ts'

export interface PlanInput {
  readonly route: Route
  readonly catalog: Catalog
  /** Of the clock that never goes back. */
  readonly nowMs: number
  /** Streams and whole answers are measured apart. */
  readonly isStream: boolean
  readonly facts: RoutingFacts
  /** Undefined where nothing tells the conversation. */
  readonly session: Hash | undefined
}

/** What is known at this moment, whoever asks. */
export interface RoutingFacts {
  readonly health: Pick<HealthTracker, 'stateOf'>
  readonly inFlight: Pick<ConcurrencyLimits, 'isFull' | 'ofTarget'>
  readonly latency: Pick<LatencyTracker, 'of'>
  readonly random: Random
  /** Where the turn among a channel's credentials stands. */
  readonly turnOf: (channelName: string) => number
}

/** Why a candidate of the route is not asked. */
export type ExclusionReason = ShutReason | 'probing' | 'full'

export interface Exclusion {
  readonly target: Target
  readonly credential: Credential | undefined
  readonly publicName: string
  readonly reason: ExclusionReason
  /** Of the clock that never goes back; undefined where no time is known, or none would help. */
  readonly untilMs: number | undefined
}

export interface Plan {
  readonly candidates: readonly Candidate[]
  readonly excluded: readonly Exclusion[]
}

const nothingExcluded: readonly Exclusion[] = []

/**
 * Orders what a route allows: its own targets before its fallbacks', higher priority first, inside one priority as the
 * route's strategy says. Each target goes with the first of its credentials that may be asked; a second follows inside
 * the tier, further ones after the stage's last tier. What still serves some comes at the very end. Nothing is named
 * twice, and nothing that the route does not name: a key that may use the route's name may use all of it.
 */
export function planAttempts(input: PlanInput): Plan {
  const { route, catalog } = input
  const only = findOnly(route)
  if (only !== undefined) {
    const candidate = createCandidate(only, only.channel.credentials[0], route.publicName)
    const isPlain = judge(candidate, input) === 'ready'
    // Most routes lead to one place that is well, where there is nothing to order.
    if (isPlain) return { candidates: [candidate], excluded: nothingExcluded }
  }
  const draft = new Draft(input)
  for (const name of [route.publicName, ...route.fallbacks]) {
    const stage = name === route.publicName ? route : catalog.findRoute(name)
    if (stage !== undefined) planStage(stage, input, draft)
  }
  return draft.finish()
}

function findOnly({ targets, fallbacks }: Route): Target | undefined {
  const [only] = targets
  if (only === undefined || targets.length > 1 || fallbacks.length > 0) return undefined
  return only.channel.credentials.length < 2 ? only : undefined
}

function planStage(stage: Route, input: PlanInput, draft: Draft): void {
  const { facts, isStream, nowMs, session } = input
  const order: OrderFacts = {
    random: facts.random,
    session,
    latencyOf: (target) => facts.latency.of(target, isStream, nowMs),
    inFlightOf: (target) => facts.inFlight.ofTarget(target),
  }
  const later: Candidate[] = []
  for (const tier of tiersOf(stage.targets)) {
    const ordered = tier.length === 1 ? tier : orderTargets[stage.strategy](tier, order)
    const seconds: (Candidate | undefined)[] = []
    for (const target of ordered) {
      const row = draft.sift(target, stage.publicName)
      draft.add(row[0])
      // Most channels have one credential.
      if (row.length < 2) continue
      seconds.push(row[1])
      later.push(...row.slice(2))
    }
    for (const candidate of seconds) draft.add(candidate)
  }
  for (const candidate of later) draft.add(candidate)
}

type Judgement = 'ready' | 'probe' | 'last-resort' | Pick<Exclusion, 'reason' | 'untilMs'>

function judge(candidate: Candidate, { facts, nowMs }: PlanInput): Judgement {
  const state = facts.health.stateOf(candidate, nowMs)
  if (state.type === 'shut' && !state.isLastResort) return state
  if (facts.inFlight.isFull(candidate.target)) return { reason: 'full', untilMs: undefined }
  return state.type === 'shut' ? 'last-resort' : state.type
}

function createCandidate(
  target: Target,
  credential: Credential | undefined,
  publicName: string,
  isProbe = false,
): Candidate {
  return { target, credential, publicName, isProbe }
}

/** A plan in the making. */
class Draft {
  readonly #input: PlanInput
  readonly #candidates: Candidate[] = []
  readonly #lastResorts: Candidate[] = []
  readonly #excluded: Exclusion[] = []
  /** Of several stages; within one, nothing stands twice. */
  readonly #seen: Set<string> | undefined

  constructor(input: PlanInput) {
    this.#input = input
    this.#seen = input.route.fallbacks.length === 0 ? undefined : new Set()
  }

  /** Of a target's credentials, from the one whose turn it is, those that may be asked. */
  sift(target: Target, publicName: string): readonly Candidate[] {
    const { credentials } = target.channel
    const turn = credentials.length > 1 ? this.#input.facts.turnOf(target.channel.name) : 0
    const fit: Candidate[] = []
    for (let index = 0; index < Math.max(1, credentials.length); index += 1) {
      const candidate = createCandidate(target, credentials[(turn + index) % credentials.length], publicName)
      if (this.#isNew(candidate)) this.#sort(candidate, fit)
    }
    return fit
  }

  add(candidate: Candidate | undefined): void {
    if (candidate !== undefined) this.#candidates.push(candidate)
  }

  finish(): Plan {
    const candidates =
      this.#lastResorts.length === 0 ? this.#candidates : [...this.#candidates, ...this.#lastResorts]
    return { candidates, excluded: this.#excluded }
  }

  #sort(candidate: Candidate, fit: Candidate[]): void {
    const judgement = judge(candidate, this.#input)
    if (judgement === 'ready') fit.push(candidate)
    else if (judgement === 'probe') fit.push({ ...candidate, isProbe: true })
    else if (judgement === 'last-resort') this.#lastResorts.push(candidate)
    else {
      const { target, credential, publicName } = candidate
      const { reason, untilMs } = judgement
      this.#excluded.push({ target, credential, publicName, reason, untilMs })
    }
  }

  #isNew({ target, credential }: Candidate): boolean {
    if (this.#seen === undefined) return true
    const key = `${target.channel.name} ${credential?.id ?? ''} ${target.upstreamModel}`
    if (this.#seen.has(key)) return false
    this.#seen.add(key)
    return true
  }
}
