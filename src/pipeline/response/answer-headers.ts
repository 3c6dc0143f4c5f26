import type { Loss } from '../../canonical/loss.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { Redactor } from '../../telemetry/redact.ts'
import type { UpstreamHeaders } from '../../upstream/upstream.ts'

/** A longer list of losses is cut here; the log row has all that were gathered. */
const MAX_LOSS_HEADER_CHARACTERS = 2_000

export interface AnswerFacts {
  readonly candidate: Candidate
  readonly losses: readonly Loss[]
  readonly attempts: number
}

/** Headers that say who answered, and what the request lost on its way there. */
export function writeAnswerHeaders(facts: AnswerFacts): Readonly<Record<string, string>> {
  const headers = { 'x-headgate-channel': toHeaderText(facts.candidate.target.channel.name) }
  return addFacts(headers, facts.candidate.publicName, facts)
}

export interface LocalFacts extends Omit<AnswerFacts, 'candidate'> {
  readonly publicName: string
}

/** The same where no channel answered. */
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

const MAX_CHARACTERS = 1_024
/** What a header's value may consist of. */
const SAFE_VALUE = /^[\t\x20-\x7e]*$/

export type PassedHeaders = Readonly<Record<string, string>>

export const noPassedHeaders: PassedHeaders = {}

/**
 * Of an upstream's headers, those that go on to the caller: the allowed names, where a `*` at the end stands for any
 * rest. Our own secrets are taken out, as everywhere.
 */
export function passAnswerHeaders(
  headers: UpstreamHeaders,
  allowed: readonly string[] | undefined,
  redactor: Redactor,
): PassedHeaders {
  if (allowed === undefined) return noPassedHeaders
  let passed: Record<string, string> | undefined
  for (const name in headers) {
    const value = headers[name]
    if (typeof value !== 'string' || !isAllowed(name, allowed)) continue
    if (value.length > MAX_CHARACTERS || !SAFE_VALUE.test(value)) continue
    passed ??= {}
    passed[name] = redactor.redact(value)
  }
  return passed ?? noPassedHeaders
}

function isAllowed(name: string, allowed: readonly string[]): boolean {
  for (const one of allowed) {
    if (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one) return true
  }
  return false
}
