import type { EmbeddingRequest } from '../../canonical/embedding.ts'
import type { ImageRequest } from '../../canonical/operations/image.ts'
import type { RerankRequest } from '../../canonical/operations/rerank.ts'
import type { SpeechRequest } from '../../canonical/operations/speech.ts'
import type { TranscriptionRequest } from '../../canonical/operations/transcription.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Tags } from '../../canonical/tags.ts'
import type { Route } from '../../catalog/catalog.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { EmbeddingFormat } from '../../wire/operations/embedding-format.ts'
import type { ImageFormat } from '../../wire/operations/image-format.ts'
import type { ModerationFormat } from '../../wire/operations/moderation-format.ts'
import type { RerankFormat } from '../../wire/operations/rerank-format.ts'
import type { SpeechFormat } from '../../wire/operations/speech-format.ts'
import type { TokenCountFormat } from '../../wire/operations/token-count-format.ts'
import type { TranscriptionFormat } from '../../wire/operations/transcription-format.ts'
import type { ConversationFormat, ScannedRequest } from '../../wire/wire-format.ts'
import type { CostOf } from './answer-cost.ts'
import type { OperationRequest } from './caller-request.ts'
import type { PriorState } from './prior-state.ts'
import type { ResponseRecorder } from './response-recorder.ts'
import type { ShownTranscript } from './shown-transcript.ts'

/** The members that exchanges of all kinds have. */
export interface CommonExchange {
  readonly callerRequest: OperationRequest
  readonly scanned: ScannedRequest
  readonly route: Route
  /** Whether to refuse the request instead of losing a field in translation. */
  readonly isStrict: boolean
  /** Whether the caller wants to see the cost of its answer in the usage. */
  readonly showsCost: boolean
  /** Whether the exchange is for the fallback model of a budget that has reached its limit. */
  readonly isFallback: boolean
  /** The tags of the request's use: those of its key and, where the key allows it, those of the request. */
  readonly tags: Tags
}

/** An exchange with the terms that apply to only one attempt. */
export type ForAttempt<Opened extends Exchange> = Opened & AttemptTerms

interface AttemptTerms {
  /** The maximum of output tokens that the budgets leave; undefined where no budget asks for a cap. */
  readonly maxOutputTokens: number | undefined
  /** Calculates the cost of the answer; undefined where the caller does not ask to see the cost in the usage. */
  readonly costOf: CostOf | undefined
}

/** The source of the body for a provider. */
export type BodySource =
  /** The caller's own bytes, where the channel speaks their format. */
  | {
      readonly type: 'caller'
      /**
       * The ID by which this target's provider knows the previous response; undefined if there is no previous response.
       */
      readonly upstreamPreviousId: string | undefined
    }
  /** The parsed request, with changes made to it. */
  | { readonly type: 'rewritten' }

/**
 * A request for a conversation. Each part of it is read once, when the first attempt needs it. Reading throws the
 * errors of the format.
 */
export interface ConversationExchange extends CommonExchange {
  readonly kind: 'conversation'
  readonly format: ConversationFormat
  /** The part of a stream that the caller has seen. It is stored where another generation may be compared with it. */
  readonly transcript: ShownTranscript | undefined
  readonly source: BodySource
  /** The earlier answers to which a request in the responses format refers; undefined where there are none. */
  readonly prior: PriorState | undefined
  /** Stores the answer; undefined where the answer is not stored. */
  readonly recorder: ResponseRecorder | undefined
  /**
   * Reads the requests. There is more than one if the body holds several questions that a channel answers one by one.
   * There is always at least one.
   */
  readRequests(): readonly ChatRequest[]
  /** Prepares `readRequests` in steps, with pauses between them. */
  readSteps(): Steps<void>
}

export interface EmbeddingExchange extends CommonExchange {
  readonly kind: 'embedding'
  readonly format: EmbeddingFormat
  readRequest(): EmbeddingRequest
}

export interface RerankExchange extends CommonExchange {
  readonly kind: 'rerank'
  readonly format: RerankFormat
  readRequest(): RerankRequest
}

export interface ModerationExchange extends CommonExchange {
  readonly kind: 'moderation'
  readonly format: ModerationFormat
}

export interface ImageExchange extends CommonExchange {
  readonly kind: 'image'
  readonly format: ImageFormat
  readRequest(): ImageRequest
}

export interface TranscriptionExchange extends CommonExchange {
  readonly kind: 'transcription'
  readonly format: TranscriptionFormat
  readRequest(): TranscriptionRequest
}

export interface SpeechExchange extends CommonExchange {
  readonly kind: 'speech'
  readonly format: SpeechFormat
  readRequest(): SpeechRequest
}

export interface TokenCountExchange extends CommonExchange {
  readonly kind: 'token-count'
  readonly format: TokenCountFormat
  readRequest(): ChatRequest
  /** Prepares `readRequest` in steps, with pauses between them. */
  readSteps(): Steps<void>
}

/** A request that is known to be valid and allowed, with the data that its attempts need. */
export type Exchange =
  | ConversationExchange
  | EmbeddingExchange
  | RerankExchange
  | ModerationExchange
  | MediaExchange
  | TokenCountExchange

/** An exchange of images or sound. */
export type MediaExchange = ImageExchange | TranscriptionExchange | SpeechExchange

const mediaKinds: ReadonlySet<Exchange['kind']> = new Set(['image', 'transcription', 'speech'])

export function isMedia(exchange: Exchange): exchange is MediaExchange {
  return mediaKinds.has(exchange.kind)
}

/** Whether the exchange only counts tokens, which no provider bills. */
export function isTokenCount(exchange: Exchange): boolean {
  if (exchange.kind === 'conversation') return exchange.format.onlyCounts === true
  return exchange.kind === 'token-count'
}
