import { type Effort, efforts } from '../../canonical/request.ts'

/**
 * Of the words that a server takes, the one nearest to what was asked for, the greater of two equally near. Reasoning
 * is never turned off by it, and where it cannot be turned off the least is taken. Undefined where no word fits.
 */
export function nearestEffort(asked: Effort, taken: readonly Effort[]): Effort | undefined {
  if (taken.includes(asked)) return asked
  const wanted = efforts.indexOf(asked)
  const distanceOf = (effort: Effort) => Math.abs(efforts.indexOf(effort) - wanted)
  const ascending = efforts.filter((effort) => effort !== 'none' && taken.includes(effort))
  return ascending.reduce<Effort | undefined>(
    (best, effort) => (best === undefined || distanceOf(effort) <= distanceOf(best) ? effort : best),
    undefined,
  )
}
