import { permits } from '../../access/key.ts'
import type { EmbeddingRequest } from '../../canonical/embedding.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Catalog, Route } from '../../catalog/catalog.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { once } from '../../kit/values/once.ts'
import type { RecoveryPolicy } from '../../routing/recovery-schema.ts'
import type { EmbeddingFormat } from '../../wire/embedding-format.ts'
import type { TokenCountFormat } from '../../wire/token-count-format.ts'
import { parseBody } from '../../wire/verbatim/parse-body.ts'
import type { ConversationFormat, ScannedRequest } from '../../wire/wire-format.ts'
import type { CallerRequest } from './caller-request.ts'
import { createCallerWriter } from './create-caller-writer.ts'
import { FetchedMedia } from './fetched-media.ts'
import type { PriorState } from './prior-state.ts'
import { openReading } from './read-in-turns.ts'
import type { ResponseRecorder } from './response-recorder.ts'
import { ShownTranscript } from './shown-transcript.ts'

interface Opened {
  readonly callerRequest: CallerRequest
  readonly scanned: ScannedRequest
  readonly route: Route
  /** Refuse instead of losing a field in translation. */
  readonly isStrict: boolean
}

/** Every reading happens once, when the first attempt needs it, and throws what the format forbids. */
export interface ConversationExchange extends Opened {
  readonly kind: 'conversation'
  readonly format: ConversationFormat
  /** What the caller is shown of a stream, kept where another generation may be held against it. */
  readonly transcript: ShownTranscript | undefined
  /** Whoever ends the exchange releases it. */
  readonly fetchedMedia: FetchedMedia
  /** What is asked is not in the caller's own bytes any more. */
  readonly isRewritten?: true
  /** Of the responses format: what of earlier answers it refers to. */
  readonly prior?: PriorState | undefined
  /** Of the responses format: what stores its answer. */
  readonly recorder?: ResponseRecorder | undefined
  /** Of the target that is asked: by which id its provider knows the response before. */
  readonly upstreamPreviousId?: string | undefined
  /** More than one where the body asks several things that a channel answers one by one. Never empty. */
  readRequests(): readonly ChatRequest[]
  /** What `readRequests` does, in parts. */
  readonly stages: readonly (() => void)[]
}

export interface EmbeddingExchange extends Opened {
  readonly kind: 'embedding'
  readonly format: EmbeddingFormat
  readRequest(): EmbeddingRequest
}

export interface TokenCountExchange extends Opened {
  readonly kind: 'token-count'
  readonly format: TokenCountFormat
  readRequest(): ChatRequest
}

/** A request that is known to be sound and allowed, and what its attempts need of it. */
export type Exchange = ConversationExchange | EmbeddingExchange | TokenCountExchange

/** Scans the body, finds the model's route and checks that the key grants it. Throws `GatewayError`. */
export function openExchange(
  callerRequest: CallerRequest,
  catalog: Catalog,
  recovery: RecoveryPolicy,
): Exchange {
  const { format } = callerRequest
  const scanned = format.scanRequest(callerRequest.body, callerRequest.terms)
  const route = findPermittedRoute(callerRequest, scanned.model, catalog)
  const isStrict = callerRequest.headers['x-headgate-strict'] === '1'
  switch (format.kind) {
    case 'conversation': {
      const { read: readRequests, stages } = openReading(scanned, (body) => readEach(format, body))
      const transcript =
        recovery.midStream === 'verified' ? openTranscript(format, scanned, callerRequest) : undefined
      return {
        kind: format.kind,
        format,
        callerRequest,
        scanned,
        route,
        isStrict,
        transcript,
        readRequests,
        stages,
        fetchedMedia: new FetchedMedia(),
      }
    }
    case 'embedding': {
      const readRequest = once(() => format.readRequest(parseBody(scanned)))
      return { kind: format.kind, format, callerRequest, scanned, route, isStrict, readRequest }
    }
    case 'token-count': {
      const readRequest = once(() => format.readRequest(parseBody(scanned)))
      return { kind: format.kind, format, callerRequest, scanned, route, isStrict, readRequest }
    }
  }
}

function openTranscript(
  format: ConversationFormat,
  scanned: ScannedRequest,
  { requestId }: CallerRequest,
): ShownTranscript | undefined {
  if (!scanned.stream) return undefined
  return new ShownTranscript(createCallerWriter({ format, scanned, requestId, isSparse: true }))
}

function readEach(format: ConversationFormat, body: JsonObject): readonly ChatRequest[] {
  return format.readRequests?.(body) ?? [format.readRequest(body)]
}

/** The same words whether the model is not there or the key may not use it: names are not for those without a grant. */
function findPermittedRoute({ caller }: CallerRequest, model: string, catalog: Catalog): Route {
  const isPermitted = permits(caller.permission, model)
  const route = isPermitted ? catalog.findRoute(model) : undefined
  if (route !== undefined) return route
  if (isPermitted && catalog.unlisted.length > 0) {
    const unread = catalog.unlisted.map((name) => `the list of models of channel ${name} could not be read`)
    throw new GatewayError('models_unknown', { param: 'model' }, { cause: new Error(unread.join('; ')) })
  }
  const reason = isPermitted ? 'no channel and no alias has the model' : 'the key may not use the model'
  throw new GatewayError(
    'model_not_found',
    {
      param: 'model',
      message: `There is no model ${shown(model)} that this API key may use. GET /v1/models lists those that it may use.`,
    },
    { cause: new Error(reason) },
  )
}

function shown(model: string): string {
  return JSON.stringify(model.slice(0, 256))
}
