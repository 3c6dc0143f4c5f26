import type { EmbeddingRequest } from '../../canonical/embedding.ts'
import type { ImageRequest } from '../../canonical/operations/image.ts'
import type { RerankRequest } from '../../canonical/operations/rerank.ts'
import type { SpeechRequest } from '../../canonical/operations/speech.ts'
import type { TranscriptionRequest } from '../../canonical/operations/transcription.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Tags } from '../../canonical/tags.ts'
import type { Route } from '../../catalog/catalog.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { EmbeddingFormat } from '../../wire/embedding-format.ts'
import type { ImageFormat } from '../../wire/image-format.ts'
import type { ModerationFormat } from '../../wire/moderation-format.ts'
import type { RerankFormat } from '../../wire/rerank-format.ts'
import type { SpeechFormat } from '../../wire/speech-format.ts'
import type { TokenCountFormat } from '../../wire/token-count-format.ts'
import type { TranscriptionFormat } from '../../wire/transcription-format.ts'
import type { ConversationFormat, ScannedRequest } from '../../wire/wire-format.ts'
import type { CostOf } from './answer-cost.ts'
import type { OperationRequest } from './caller-request.ts'
import type { PriorState } from './prior-state.ts'
import type { ResponseRecorder } from './response-recorder.ts'
import type { ShownTranscript } from './shown-transcript.ts'

interface Opened {
  readonly callerRequest: OperationRequest
  readonly scanned: ScannedRequest
  readonly route: Route
  /** Whether to refuse instead of losing a field in translation. */
  readonly isStrict: boolean
  /** Whether the caller wants to see in the usage what its answer costs. */
  readonly showsCost: boolean
  /** Whether it asks for the model that a budget at its limit leads to. */
  readonly isFallback: boolean
  /** The tags that label its use: those of its key and, where the key allows it, its own. */
  readonly tags: Tags
}

/** An exchange with what holds for one attempt alone. */
export type ForAttempt<Asked extends Exchange> = Asked & AttemptTerms

interface AttemptTerms {
  /** The most output tokens that the budgets leave; undefined where no budget asks for a cap. */
  readonly maxOutputTokens: number | undefined
  /** The cost of the answer; undefined where the caller does not ask to see it in the usage. */
  readonly costOf: CostOf | undefined
}

/** The source of the body for a provider. */
export type BodySource =
  /** The caller's own bytes, where the channel speaks their format. */
  | {
      readonly type: 'caller'
      /** The ID under which this target's provider knows the previous response; undefined without one. */
      readonly upstreamPreviousId: string | undefined
    }
  /** The request as it was read, and changed since. */
  | { readonly type: 'rewritten' }

/** Every reading happens once, when the first attempt needs it, and throws what the format forbids. */
export interface ConversationExchange extends Opened {
  readonly kind: 'conversation'
  readonly format: ConversationFormat
  /** The part of a stream that the caller has been shown, kept where another generation may be held against it. */
  readonly transcript: ShownTranscript | undefined
  readonly source: BodySource
  /** The earlier answers that a request of the responses format refers to; undefined where it refers to none. */
  readonly prior: PriorState | undefined
  /** Stores the answer; undefined where it is not stored. */
  readonly recorder: ResponseRecorder | undefined
  /**
   * Reads the requests: more than one where the body asks several things that a channel answers one by one, and never
   * none.
   */
  readRequests(): readonly ChatRequest[]
  /** Prepares `readRequests` with pauses. */
  readSteps(): Steps<void>
}

export interface EmbeddingExchange extends Opened {
  readonly kind: 'embedding'
  readonly format: EmbeddingFormat
  readRequest(): EmbeddingRequest
}

export interface RerankExchange extends Opened {
  readonly kind: 'rerank'
  readonly format: RerankFormat
  readRequest(): RerankRequest
}

export interface ModerationExchange extends Opened {
  readonly kind: 'moderation'
  readonly format: ModerationFormat
}

export interface ImageExchange extends Opened {
  readonly kind: 'image'
  readonly format: ImageFormat
  readRequest(): ImageRequest
}

export interface TranscriptionExchange extends Opened {
  readonly kind: 'transcription'
  readonly format: TranscriptionFormat
  readRequest(): TranscriptionRequest
}

export interface SpeechExchange extends Opened {
  readonly kind: 'speech'
  readonly format: SpeechFormat
  readRequest(): SpeechRequest
}

export interface TokenCountExchange extends Opened {
  readonly kind: 'token-count'
  readonly format: TokenCountFormat
  readRequest(): ChatRequest
  /** Prepares `readRequest` with pauses. */
  readSteps(): Steps<void>
}

/** A request that is known to be sound and allowed, and what its attempts need of it. */
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
