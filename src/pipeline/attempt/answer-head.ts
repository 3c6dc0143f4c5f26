import type { UpstreamHeaders } from '../../upstream/upstream.ts'
import type { StreamRelay } from '../relay/stream-relay.ts'
import type { PassedHeaders } from '../response/pass-answer-headers.ts'

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
