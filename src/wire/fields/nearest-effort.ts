import { type Effort, efforts } from '../../canonical/request.ts'

/**
 * The effort that a server takes nearest to the requested one, the greater of two equally near. It never turns
 * reasoning off; where the request turns it off and the server cannot, the least is taken. Undefined where no effort
 * fits.
 */
export function nearestEffort(asked: Effort, accepted: readonly Effort[]): Effort | undefined {
  if (accepted.includes(asked)) return asked
  const wanted = efforts.indexOf(asked)
  const distanceOf = (effort: Effort) => Math.abs(efforts.indexOf(effort) - wanted)
  const ascending = efforts.filter((effort) => effort !== 'none' && accepted.includes(effort))
  return ascending.reduce<Effort | undefined>(
    (best, effort) => (best === undefined || distanceOf(effort) <= distanceOf(best) ? effort : best),
    undefined,
  )
}
