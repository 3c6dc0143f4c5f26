import { type Effort, efforts } from '../../canonical/request.ts'

/**
 * Returns the accepted effort that is nearest to the requested one, and the higher of two equally near efforts. It
 * never turns reasoning off. Where the request turns reasoning off but the server cannot, the lowest effort is
 * returned. Undefined where no effort fits.
 */
export function nearestEffort(effort: Effort, accepted: readonly Effort[]): Effort | undefined {
  if (accepted.includes(effort)) return effort
  const wanted = efforts.indexOf(effort)
  const distanceOf = (effort: Effort) => Math.abs(efforts.indexOf(effort) - wanted)
  const ascending = efforts.filter((effort) => effort !== 'none' && accepted.includes(effort))
  return ascending.reduce<Effort | undefined>(
    (best, effort) => (best === undefined || distanceOf(effort) <= distanceOf(best) ? effort : best),
    undefined,
  )
}
