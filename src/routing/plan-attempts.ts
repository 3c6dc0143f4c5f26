import type { Catalog, Route, Target } from '../catalog/catalog.ts'
import type { Credential } from '../catalog/channel.ts'
import type { Hash } from '../kit/bytes/hash.ts'
import { unreachable } from '../kit/errors/unreachable.ts'
import type { Random } from '../kit/random/random.ts'
import type { Candidate, ModelOperation } from './candidate.ts'
import type { TripReason } from './health/assess-health-impact.ts'
import { isOutOfRotation } from './health/health-state.ts'
import type { HealthTracker } from './health/health-tracker.ts'
import type { LatencyTracker } from './order/latency-tracker.ts'
import type { OrderFacts } from './order/order-facts.ts'
import { orderTargets, tiersOf } from './order/order-targets.ts'
import type { ConcurrencyLimits } from './queue/concurrency-limits.ts'
import type { CredentialRotation } from './queue/credential-rotation.ts'

export interface AttemptPlanInput {
  readonly route: Route
  readonly catalog: Catalog
  readonly operation: ModelOperation
  /** A time by `Clock.monotonicMs`. */
  readonly monotonicMs: number
  /** The time by the wall clock, since prices depend on dates and hours. */
  readonly atMs: number
  /** Whether the answer is a stream. Streams and whole answers are measured separately. */
  readonly isStream: boolean
  readonly facts: RoutingFacts
  /** Undefined if nothing identifies the conversation. */
  readonly session: Hash | undefined
}

/** The routing state that every plan reads. */
export interface RoutingFacts {
  readonly health: Pick<HealthTracker, 'stateOf'>
  readonly inFlight: Pick<ConcurrencyLimits, 'isFull' | 'ofTarget'>
  readonly latency: Pick<LatencyTracker, 'of'>
  readonly rotation: Pick<CredentialRotation, 'turnOf'>
  readonly random: Random
}

/** The reason why a candidate of the route is not used. */
export type ExclusionReason = TripReason | 'probing' | 'full'

export interface Exclusion {
  readonly target: Target
  readonly credential: Credential | undefined
  readonly publicName: string
  readonly reason: ExclusionReason
  /** A time of `Clock.monotonicMs`; undefined if no time is known, or none would help. */
  readonly untilMs: number | undefined
}

export interface Plan {
  readonly candidates: readonly Candidate[]
  readonly excluded: readonly Exclusion[]
}

const nothingExcluded: readonly Exclusion[] = []

/**
 * Orders the candidates of a route. The route's own targets come before those of its fallbacks, and a higher priority
 * comes first. Within one priority the route's strategy decides. Each target is listed with the first of its
 * credentials in rotation. Its second credential follows within the tier, and further ones follow after the stage's
 * last tier. Degraded candidates come last. No candidate occurs twice, and all of them are named by the route, since a
 * key that may use the route's name may use all of the route.
 */
export function planAttempts(input: AttemptPlanInput): Plan {
  const { route, catalog } = input
  const only = findOnly(route)
  if (only !== undefined) {
    const [credential] = only.channel.credentials
    const { publicName } = route
    const candidate = { target: only, credential, publicName, operation: input.operation, isProbe: false }
    const isPlain = judge(candidate, input).type === 'usable'
    // Most routes have one healthy target, so there is nothing to order.
    if (isPlain) return { candidates: [candidate], excluded: nothingExcluded }
  }
  const builder = new PlanBuilder(input)
  for (const name of [route.publicName, ...route.fallbacks]) {
    const stage = name === route.publicName ? route : catalog.findRoute(name)
    if (stage !== undefined) planStage(stage, input, builder)
  }
  return builder.finish()
}

function findOnly({ targets, fallbacks }: Route): Target | undefined {
  const [only] = targets
  if (only === undefined || targets.length > 1 || fallbacks.length > 0) return undefined
  return only.channel.credentials.length < 2 ? only : undefined
}

function planStage(stage: Route, input: AttemptPlanInput, builder: PlanBuilder): void {
  const { facts, isStream, monotonicMs, atMs, session } = input
  const order: OrderFacts = {
    random: facts.random,
    atMs,
    session,
    latencyOf: (target) => facts.latency.of(target, isStream, monotonicMs),
    inFlightOf: (target) => facts.inFlight.ofTarget(target),
  }
  const later: Candidate[] = []
  for (const tier of tiersOf(stage.targets)) {
    const ordered = tier.length === 1 ? tier : orderTargets[stage.strategy](tier, order)
    const seconds: (Candidate | undefined)[] = []
    for (const target of ordered) {
      const selected = builder.selectUsable(target, stage.publicName)
      builder.add(selected[0])
      // Most channels have one credential.
      if (selected.length < 2) continue
      seconds.push(selected[1])
      later.push(...selected.slice(2))
    }
    for (const candidate of seconds) builder.add(candidate)
  }
  for (const candidate of later) builder.add(candidate)
}

type Judgement =
  | { readonly type: 'usable' | 'probe' | 'last-resort' }
  | ({ readonly type: 'excluded' } & Pick<Exclusion, 'reason' | 'untilMs'>)

const usable: Judgement = { type: 'usable' }
const probe: Judgement = { type: 'probe' }
const lastResort: Judgement = { type: 'last-resort' }
const full: Judgement = { type: 'excluded', reason: 'full', untilMs: undefined }
const probing: Judgement = { type: 'excluded', reason: 'probing', untilMs: undefined }

function judge(candidate: Candidate, { facts, monotonicMs }: AttemptPlanInput): Judgement {
  const state = facts.health.stateOf(candidate, monotonicMs)
  if (isOutOfRotation(state)) {
    return state.type === 'open'
      ? { type: 'excluded', reason: state.reason, untilMs: state.untilMs }
      : probing
  }
  if (facts.inFlight.isFull(candidate.target)) return full
  switch (state.type) {
    case 'closed':
      return usable
    case 'half-open-due':
      return probe
    case 'open':
    case 'half-open':
      return lastResort
  }
}

/** Collects the candidates of a plan and its exclusions. */
class PlanBuilder {
  readonly #input: AttemptPlanInput
  readonly #candidates: Candidate[] = []
  readonly #lastResorts: Candidate[] = []
  readonly #excluded: Exclusion[] = []
  /** The candidates so far. Needed only for several stages, since no candidate occurs twice within one stage. */
  readonly #seen: Set<string> | undefined

  constructor(input: AttemptPlanInput) {
    this.#input = input
    this.#seen = input.route.fallbacks.length === 0 ? undefined : new Set()
  }

  /** The candidates of a target that are in rotation, starting with the credential that is next in turn. */
  selectUsable(target: Target, publicName: string): readonly Candidate[] {
    const { credentials } = target.channel
    const turn = credentials.length > 1 ? this.#input.facts.rotation.turnOf(target.channel.name) : 0
    const { operation } = this.#input
    const selected: Candidate[] = []
    for (let index = 0; index < Math.max(1, credentials.length); index += 1) {
      const credential = credentials[(turn + index) % credentials.length]
      const candidate = { target, credential, publicName, operation, isProbe: false }
      if (this.#isNew(candidate)) this.#classify(candidate, selected)
    }
    return selected
  }

  add(candidate: Candidate | undefined): void {
    if (candidate !== undefined) this.#candidates.push(candidate)
  }

  finish(): Plan {
    const candidates =
      this.#lastResorts.length === 0 ? this.#candidates : [...this.#candidates, ...this.#lastResorts]
    return { candidates, excluded: this.#excluded }
  }

  #classify(candidate: Candidate, selected: Candidate[]): void {
    const judgement = judge(candidate, this.#input)
    switch (judgement.type) {
      case 'usable':
        selected.push(candidate)
        break
      case 'probe':
        selected.push({ ...candidate, isProbe: true })
        break
      case 'last-resort':
        this.#lastResorts.push(candidate)
        break
      case 'excluded': {
        const { target, credential, publicName } = candidate
        const { reason, untilMs } = judgement
        this.#excluded.push({ target, credential, publicName, reason, untilMs })
        break
      }
      default:
        unreachable(judgement)
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
