import type { Loss } from '../canonical/loss.ts'
import type { Candidate } from '../routing/plan-attempts.ts'
import type { Lane } from './lane.ts'

/** A longer list of losses is cut here; the log row has them all. */
const MAX_LOSS_HEADER_CHARACTERS = 2_000

/** Headers that say who answered, and what the request lost on its way there. */
export function writeAnswerHeaders({
  candidate,
  lane,
  attempts,
}: {
  readonly candidate: Candidate
  readonly lane: Lane
  readonly attempts: number
}): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {
    'x-headgate-channel': toHeaderText(candidate.target.channel.name),
    'x-headgate-model': toHeaderText(candidate.publicName),
    'x-headgate-attempts': String(attempts),
  }
  if (lane.losses.length > 0) headers['x-headgate-loss'] = writeLosses(lane.losses)
  return headers
}

/** Such as `cache-mark=dropped, foreign-field(tools.defer_loading)=dropped`. */
export function writeLosses(losses: readonly Loss[]): string {
  const items = losses.map(({ feature, kind, field }) =>
    field === undefined ? `${feature}=${kind}` : `${feature}(${toHeaderText(field)})=${kind}`,
  )
  const text = items.join(', ')
  return text.length <= MAX_LOSS_HEADER_CHARACTERS
    ? text
    : `${text.slice(0, MAX_LOSS_HEADER_CHARACTERS)}, cut`
}

function toHeaderText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (character) => encodeURIComponent(character))
}
