import type { Target } from '../catalog/catalog.ts'

/** The targets by their channels' priority, the higher first. */
export function tiersOf(targets: readonly Target[]): readonly (readonly Target[])[] {
  const first = targets[0]?.channel.priority
  if (targets.every(({ channel }) => channel.priority === first)) return [targets]
  const tiers = Map.groupBy(targets, ({ channel }) => channel.priority)
  return [...tiers].sort(([left], [right]) => right - left).map(([, tier]) => tier)
}
