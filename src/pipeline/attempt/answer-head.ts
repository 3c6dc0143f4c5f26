import type { UpstreamHeaders } from '../../upstream/upstream.ts'
import type { StreamRelay } from '../relay/stream-relay.ts'
import type { PassedHeaders } from '../response/response-writer.ts'

export interface AnswerHead {
  readonly status: number
  readonly headers: UpstreamHeaders
  /** Whether the caller asked for a stream. */
  readonly isStream: boolean
  readonly receivedAtMs: number
  /** Those of the headers that go on to the caller. */
  readonly passed: PassedHeaders
  /** For a stream of plain events, where it was made ready. */
  readonly relay?: StreamRelay | undefined
}

/** In one known coding it was inflated on its way; what is left is another, or several. */
export function isCompressed({ headers }: AnswerHead): boolean {
  const encoding = String(headers['content-encoding'] ?? '').toLowerCase()
  return encoding !== '' && encoding !== 'identity'
}

/** Whether an answer is a stream of events as nearly every server sends it: by the whole text of its type. */
export function isEventStream(headers: UpstreamHeaders): boolean {
  if (headers['content-encoding'] !== undefined) return false
  const type = headers['content-type']
  return type === 'text/event-stream' || type === 'text/event-stream; charset=utf-8'
}

/** As nearly every server writes them. */
const COMMON_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'text/event-stream',
  'text/event-stream; charset=utf-8',
])

/**
 * Whether a content type, in lower case, may be that of an answer. Servers leave it out, or call JSON and events plain
 * text; whatever names another type is no answer.
 */
export function isAnswerType(contentType: string): boolean {
  if (COMMON_TYPES.has(contentType)) return true
  const type = contentType.split(';', 1)[0]?.trim() ?? ''
  return type === '' || type.startsWith('text/') || /json|event-?stream/.test(type)
}
