import type { Catalog, Route, Target } from '../catalog/catalog.ts'
import type { Credential } from '../catalog/channel.ts'
import type { Random } from '../kit/random.ts'

/** One thing to try: a target with one of its channel's credentials. */
export interface Candidate {
  readonly target: Target
  /** Undefined where the channel has none. */
  readonly credential: Credential | undefined
  /** The public name that led here: the one asked for, or a fallback's. */
  readonly publicName: string
}

export interface PlanInput {
  readonly route: Route
  readonly catalog: Catalog
  readonly random: Random
  /** Where the turn among a channel's credentials stands. */
  readonly turnOf: (channelName: string) => number
}

/**
 * Orders what a route allows: its own targets before its fallbacks', higher priority first, chance by weight inside
 * one priority; a target's further credentials come after every target's first. Nothing is named twice, and nothing
 * that the route does not name.
 */
export function planAttempts({ route, catalog, random, turnOf }: PlanInput): readonly Candidate[] {
  const [only, ...others] = route.targets
  if (only !== undefined && others.length === 0 && route.fallbacks.length === 0) {
    const { credentials } = only.channel
    // Most routes lead to one place, where there is nothing to order.
    if (credentials.length < 2)
      return [{ target: only, credential: credentials[0], publicName: route.publicName }]
  }
  const plan: Candidate[] = []
  const seen = new Set<string>()
  for (const name of [route.publicName, ...route.fallbacks]) {
    const stage = name === route.publicName ? route : catalog.findRoute(name)
    if (stage === undefined) continue
    for (const candidate of planStage({ targets: stage.targets, publicName: name, random, turnOf })) {
      const key = `${candidate.target.channel.name} ${candidate.credential?.id ?? ''} ${candidate.target.upstreamModel}`
      if (seen.has(key)) continue
      seen.add(key)
      plan.push(candidate)
    }
  }
  return plan
}

interface StageInput {
  readonly targets: readonly Target[]
  readonly publicName: string
  readonly random: Random
  readonly turnOf: (channelName: string) => number
}

function planStage({ targets, publicName, random, turnOf }: StageInput): Candidate[] {
  const ordered = orderTargets(targets, random).map((target) => ({
    target,
    credentials: target.channel.credentials,
    turn: turnOf(target.channel.name),
  }))
  const rounds = Math.max(1, ...ordered.map(({ credentials }) => credentials.length))
  const plan: Candidate[] = []
  for (let round = 0; round < rounds; round += 1) {
    for (const { target, credentials, turn } of ordered) {
      if (round >= Math.max(1, credentials.length)) continue
      const credential = credentials[(turn + round) % Math.max(1, credentials.length)]
      plan.push({ target, credential, publicName })
    }
  }
  return plan
}

/** Priority decides, then chance by weight. */
export function orderTargets(targets: readonly Target[], random: Random): readonly Target[] {
  if (targets.length < 2) return targets
  return targets
    .map((target) => ({ target, draw: drawByWeight(target.channel.weight, random) }))
    .sort((a, b) => b.target.channel.priority - a.target.channel.priority || b.draw - a.draw)
    .map(({ target }) => target)
}

/** Sorting by these draws picks each target first with a chance equal to its share of the weights (Efraimidis, Spirakis). */
function drawByWeight(weight: number, random: Random): number {
  return weight <= 0 ? -1 : random.fraction() ** (1 / weight)
}
