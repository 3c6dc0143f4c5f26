import type { Loss } from '../../canonical/loss.ts'
import type { Candidate } from '../../routing/candidate.ts'

/** A longer list of losses is cut here; the log row has all that were gathered. */
const MAX_LOSS_HEADER_CHARACTERS = 2_000

export interface AnswerNotes {
  readonly candidate: Candidate
  readonly losses: readonly Loss[]
  readonly attempts: number
}

/** Headers that say who answered, and what the request lost on its way there. */
export function writeAnswerHeaders(notes: AnswerNotes): Readonly<Record<string, string>> {
  const headers = { 'x-headgate-channel': toHeaderText(notes.candidate.target.channel.name) }
  return addNotes(headers, notes.candidate.publicName, notes)
}

export interface LocalNotes extends Omit<AnswerNotes, 'candidate'> {
  readonly publicName: string
}

/** The same where no channel answered. */
export function writeLocalHeaders(notes: LocalNotes): Readonly<Record<string, string>> {
  return addNotes({}, notes.publicName, notes)
}

function addNotes(
  headers: Record<string, string>,
  publicName: string,
  { losses, attempts }: Omit<AnswerNotes, 'candidate'>,
): Readonly<Record<string, string>> {
  headers['x-headgate-model'] = toHeaderText(publicName)
  headers['x-headgate-attempts'] = String(attempts)
  if (losses.length > 0) headers['x-headgate-loss'] = writeLosses(losses)
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

/** Half a pair of surrogates is no character, and has no encoding. */
function toHeaderText(text: string): string {
  if (isPlain(text)) return text
  return text.toWellFormed().replace(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character))
}

/** Whether all of it is printable ASCII. A loop, since each request asks and a pattern costs more to begin than to end. */
function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x20 || unit > 0x7e) return false
  }
  return true
}
