import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { UpstreamHeaders } from '../../upstream/upstream.ts'
import { noParts, type StreamParts, type StreamRelay } from '../relay/stream-relay.ts'
import type { PassedHeaders } from '../response/pass-answer-headers.ts'

/** The facts of an answer before its body. */
export interface AnswerHead {
  readonly status: number
  readonly headers: UpstreamHeaders
  /** Whether the caller asked for a stream. */
  readonly isStream: boolean
  readonly receivedAtMs: number
  /** The headers that are passed on to the caller. */
  readonly passed: PassedHeaders
  /** The relay for a stream of plain events, if it was prepared. */
  readonly relay: StreamRelay | undefined
}

/**
 * Whether the body is still encoded. One known coding was already decoded, so what remains is another coding, or
 * several.
 */
export function isCompressed({ headers }: Pick<AnswerHead, 'headers'>): boolean {
  const encoding = String(headers['content-encoding'] ?? '').toLowerCase()
  return encoding !== '' && encoding !== 'identity'
}

/** The result of reading a part of an upstream's answer. */
export type ReadResult =
  /** The stream continues or has ended correctly. `parts` are for the caller. */
  | { readonly type: 'parts'; readonly parts: StreamParts; readonly isComplete: boolean }
  | { readonly type: 'whole'; readonly body: Buffer | string; readonly replaysAsStream: boolean }
  | { readonly type: 'failure'; readonly parts: StreamParts; readonly failure: Failure }
  | { readonly type: 'more' }
  /** A large whole answer, with the steps that read it. They may take several turns of the event loop. */
  | { readonly type: 'steps'; readonly steps: Steps<ReadResult> }

/** Reads an upstream's answer according to its status and content type. It is synchronous and knows no sockets. */
export interface AnswerReader {
  push(chunk: Buffer): ReadResult
  end(): ReadResult
  /** The state of the answer so far. */
  readonly state: AnswerState
}

export interface AnswerState {
  readonly hasContent: boolean
  /** Grows with every event that shows a part of a stream's answer. */
  readonly progress: number
  /** The approximate number of characters of text, reasoning and tool inputs. */
  readonly shownCharacters: number
  readonly usage: Usage | undefined
  /** Whether every part of a stream has its reason to end, after which only its usage may follow. */
  readonly hasStopReason?: boolean
  /** The number of images that have begun, in a stream of images. */
  readonly made?: number
  /** The service tier, if the answer names one. */
  readonly servedTier: ServedTier | undefined
  readonly losses: readonly Loss[]
  /** The number of buffered bytes of the answer. */
  readonly heldBytes: number
  /** The content type for the caller, if it is neither JSON nor events. */
  readonly contentType?: string | undefined
  /** Whether the answer states its end, so that it can be complete before its connection ends. */
  readonly statesEnd?: true
}

interface BrokenAnswer {
  readonly reader: AnswerReader
  readonly status: number
  /** Whether the connection was reset. A reset may lose what was sent, such as an error after a stated end. */
  readonly isReset: boolean
}

/**
 * Ends an answer that broke off. The status of an error is enough, and so is a stream whose last statement, the reason
 * for its end, had arrived. Undefined where a part of the answer is missing or may be.
 */
export function endBroken({ reader, status, isReset }: BrokenAnswer): ReadResult | undefined {
  if (status >= 300) return reader.end()
  if (isReset || reader.state.statesEnd !== true || !reader.state.hasContent) return undefined
  const result = reader.end()
  return result.type === 'parts' && result.isComplete ? result : undefined
}

export const emptyState: AnswerState = {
  hasContent: false,
  progress: 0,
  shownCharacters: 0,
  usage: undefined,
  servedTier: undefined,
  losses: [],
  heldBytes: 0,
}

export const needMore: ReadResult = { type: 'more' }

export function badResponse(message: string): ReadResult {
  return { type: 'failure', parts: noParts, failure: createFailure('upstream_bad_response', { message }) }
}
