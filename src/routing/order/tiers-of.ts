import type { Target } from '../../catalog/catalog.ts'

/** The targets by their channels' priority, the higher first. */
export function tiersOf(targets: readonly Target[]): readonly (readonly Target[])[] {
  if (isOneTier(targets)) return [targets]
  const tiers = Map.groupBy(targets, ({ channel }) => channel.priority)
  return [...tiers].sort(([left], [right]) => right - left).map(([, tier]) => tier)
}

function isOneTier(targets: readonly Target[]): boolean {
  const first = targets[0]?.channel.priority
  for (const { channel } of targets) {
    if (channel.priority !== first) return false
  }
  return true
}
