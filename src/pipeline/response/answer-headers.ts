import type { Loss } from '../../canonical/loss.ts'
import { type NanoDollars, writeDollars } from '../../canonical/money.ts'
import type { Candidate } from '../../routing/candidate.ts'

/** The length at which a list of losses is cut in the header. The log row has all losses that were collected. */
const MAX_LOSS_HEADER_CHARACTERS = 2_000

export interface AnswerFacts {
  readonly candidate: Candidate
  readonly losses: readonly Loss[]
  readonly attempts: number
  /** The output limit, if a budget lowered the caller's own limit. */
  readonly maxOutputTokens?: number | undefined
}

/** Writes the headers that say which target answered, and what the request lost on the way. */
export function writeAnswerHeaders(facts: AnswerFacts): Readonly<Record<string, string>> {
  const headers = { 'x-headgate-channel': toHeaderText(facts.candidate.target.channel.name) }
  const written = addFacts(headers, facts.candidate.publicName, facts)
  return facts.maxOutputTokens === undefined
    ? written
    : { ...written, 'x-headgate-clamped': String(facts.maxOutputTokens) }
}

/** Writes the cost in US dollars; no header where the model has no price. */
export function writeCostHeader(cost: NanoDollars | undefined): Readonly<Record<string, string>> {
  return cost === undefined ? {} : { 'x-headgate-cost': writeDollars(cost) }
}

export interface LocalFacts extends Omit<AnswerFacts, 'candidate'> {
  readonly publicName: string
}

/** Writes the headers of an answer for which no channel was used. */
export function writeLocalHeaders(facts: LocalFacts): Readonly<Record<string, string>> {
  return addFacts({}, facts.publicName, facts)
}

function addFacts(
  headers: Record<string, string>,
  publicName: string,
  { losses, attempts }: Omit<AnswerFacts, 'candidate'>,
): Readonly<Record<string, string>> {
  headers['x-headgate-model'] = toHeaderText(publicName)
  headers['x-headgate-attempts'] = String(attempts)
  if (losses.length > 0) headers['x-headgate-loss'] = writeLosses(losses)
  return headers
}

/** Writes losses such as `cache-mark=dropped, foreign-field(tools.defer_loading)=dropped`. */
export function writeLosses(losses: readonly Loss[]): string {
  const items = losses.map(({ feature, kind, field }) =>
    field === undefined ? `${feature}=${kind}` : `${feature}(${toHeaderText(field)})=${kind}`,
  )
  const text = items.join(', ')
  return text.length <= MAX_LOSS_HEADER_CHARACTERS
    ? text
    : `${text.slice(0, MAX_LOSS_HEADER_CHARACTERS)}, cut`
}

/** Writes a text as a header value. Half a surrogate pair has no encoding and is replaced. */
function toHeaderText(text: string): string {
  if (isPlain(text)) return text
  return text.toWellFormed().replace(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character))
}

/** Whether a text is printable ASCII. */
function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x20 || unit > 0x7e) return false
  }
  return true
}
