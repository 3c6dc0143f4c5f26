import { permits } from '../access/permission.ts'
import { GatewayError } from '../canonical/failure.ts'
import { modelNotFound } from '../canonical/model-not-found.ts'
import type { ChatRequest } from '../canonical/request.ts'
import type { Catalog, Route } from '../catalog/catalog.ts'
import { describeMissingModel } from '../catalog/missing-model.ts'
import { lazy } from '../kit/async/lazy.ts'
import type { Steps } from '../kit/async/steps.ts'
import type { JsonObject } from '../kit/json/json.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { RecoveryPolicy } from '../routing/recovery-schema.ts'
import type { AnswerTimer } from '../wire/answer-form.ts'
import type { NamedObject } from '../wire/verbatim/named-object.ts'
import { parseBody } from '../wire/verbatim/parse-body.ts'
import type { ConversationFormat, ScannedRequest } from '../wire/wire-format.ts'
import type { OperationRequest } from './exchange/caller-request.ts'
import { createCallerWriter } from './exchange/create-caller-writer.ts'
import type { BodySource, CommonExchange, ConversationExchange, Exchange } from './exchange/exchange.ts'
import { findTags } from './exchange/find-tags.ts'
import { pinRoute } from './exchange/pin-route.ts'
import { openReading } from './exchange/read-in-turns.ts'
import { ShownTranscript } from './exchange/shown-transcript.ts'
import { findReferences } from './references/find-references.ts'
import { type ReferenceDependencies, resolveReferences } from './references/resolve-references.ts'
import { openStoredExchange, type StoredExchangeOptions } from './stored-responses/open-stored-exchange.ts'

export interface ReadDependencies extends StoredExchangeOptions, ReferenceDependencies {
  readonly recovery: RecoveryPolicy
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>
}

/**
 * Scans the body, finds the model's route, checks that the key grants the model, and looks up the objects and responses
 * that the request refers to. Throws or rejects with `GatewayError`.
 */
export function read(
  request: OperationRequest,
  catalog: Catalog,
  dependencies: ReadDependencies,
): Exchange | Promise<Exchange> {
  const exchange = openExchange(request, catalog, dependencies)
  const named = findReferences(request.format, request.body)
  if (named.length > 0) return readReferring(exchange, named, { ...dependencies, catalog })
  const isResponse = exchange.kind === 'conversation' && exchange.format.continuesResponses === true
  return isResponse ? openStoredExchange(exchange, dependencies) : exchange
}

/** Reads a request that names objects which a provider stores for the request's key. */
async function readReferring(
  { callerRequest, route }: Exchange,
  named: readonly NamedObject[],
  dependencies: ReadDependencies & { readonly catalog: Catalog },
): Promise<Exchange> {
  const { remoteObjects, clock, catalog } = dependencies
  const { targets } = route
  const resolved = await resolveReferences(callerRequest, named, { remoteObjects, clock, targets })
  return openExchange(resolved, catalog, dependencies)
}

/** Scans the body, finds the model's route and checks that the key grants the model. Throws `GatewayError`. */
export function openExchange(
  callerRequest: OperationRequest,
  catalog: Catalog,
  { recovery, clock }: Pick<ReadDependencies, 'recovery' | 'clock'>,
): Exchange {
  const { format, headers, pin } = callerRequest
  const scanned = scan(callerRequest)
  const permitted = findPermittedRoute(callerRequest, scanned.model, catalog)
  const route = pin === undefined ? permitted : pinRoute(permitted, pin)
  const opened = {
    callerRequest,
    scanned,
    route,
    isStrict: headers['x-headgate-strict'] === '1',
    showsCost: headers['x-headgate-usage'] === 'cost',
    tags: findTags(callerRequest, format, scanned),
    isFallback: false,
  }
  if (format.kind !== 'conversation') return openOperation(opened, format)
  return openConversation(opened, format, recovery.midStream === 'verified' ? clock : undefined)
}

/** `clock` is that of a transcript; undefined where no transcript is stored. */
function openConversation(
  opened: CommonExchange,
  format: ConversationFormat,
  clock: AnswerTimer['clock'] | undefined,
): ConversationExchange {
  const { callerRequest, scanned, route, isStrict, showsCost, tags, isFallback } = opened
  const { read: readRequests, readSteps } = openReading(scanned, (body) => readEach(format, body))
  return {
    callerRequest,
    scanned,
    route,
    isStrict,
    showsCost,
    tags,
    isFallback,
    kind: format.kind,
    format,
    transcript: clock === undefined ? undefined : openTranscript({ ...opened, format }, clock),
    source: callersOwn,
    prior: undefined,
    recorder: undefined,
    readRequests,
    readSteps,
  }
}

type OtherFormat = Exclude<OperationRequest['format'], { readonly kind: 'conversation' }>

function openOperation(opened: CommonExchange, format: OtherFormat): Exchange {
  const { scanned } = opened
  switch (format.kind) {
    case 'embedding': {
      const readRequest = lazy(() => format.readRequest(parseBody(scanned)))
      return { ...opened, kind: format.kind, format, readRequest }
    }
    case 'rerank': {
      // Documents are large. Data that a request holds until its end survives the young generation of the garbage
      // collector.
      const readRequest = () => format.readRequest(parseBody(scanned))
      return { ...opened, kind: format.kind, format, readRequest }
    }
    case 'image': {
      const readRequest = lazy(() => format.readRequest(scanned))
      return { ...opened, kind: format.kind, format, readRequest }
    }
    case 'transcription': {
      const readRequest = lazy(() => format.readRequest(scanned))
      return { ...opened, kind: format.kind, format, readRequest }
    }
    case 'speech': {
      const readRequest = lazy(() => format.readRequest(scanned))
      return { ...opened, kind: format.kind, format, readRequest }
    }
    case 'moderation':
      return { ...opened, kind: format.kind, format }
    case 'token-count': {
      const { read: readRequest, readSteps } = openReading(scanned, (body) => format.readRequestInSteps(body))
      return { ...opened, kind: format.kind, format, readRequest, readSteps }
    }
  }
}

function scan({ format, body, form, terms }: OperationRequest): ScannedRequest {
  const scanned = format.scanRequest(body, terms)
  return form === undefined ? scanned : { ...scanned, form }
}

const callersOwn: BodySource = { type: 'caller', upstreamPreviousId: undefined }

function openTranscript(
  {
    format,
    scanned,
    callerRequest: { requestId, startedAtMs },
    showsCost,
  }: Pick<ConversationExchange, 'format' | 'scanned' | 'callerRequest' | 'showsCost'>,
  clock: AnswerTimer['clock'],
): ShownTranscript | undefined {
  if (!scanned.isStream) return undefined
  const timer = format.statesTimes ? { startedAtMs, clock } : undefined
  const parts = { format, scanned, requestId, timer, showsCost }
  return new ShownTranscript(createCallerWriter({ ...parts, recorder: undefined, isSparse: true }))
}

function* readEach(format: ConversationFormat, body: JsonObject): Steps<readonly ChatRequest[]> {
  return format.readRequests?.(body) ?? [yield* format.readRequestInSteps(body)]
}

/**
 * Finds the route of a model. The error is the same whether the model does not exist or the key may not use it, because
 * a caller without a grant must not learn names.
 */
function findPermittedRoute({ caller, format }: OperationRequest, model: string, catalog: Catalog): Route {
  const isPermitted = permits(caller.permission, model)
  const route = isPermitted ? catalog.findRoute(model) : undefined
  if (route !== undefined) return route
  const other = format.otherNameOf?.(model)
  const same = other !== undefined && permits(caller.permission, other) ? catalog.findRoute(other) : undefined
  if (same !== undefined) return same
  if (isPermitted && catalog.unlisted.length > 0) {
    const unread = catalog.unlisted.map((name) => `the list of models of channel ${name} could not be read`)
    throw new GatewayError('models_unknown', { param: 'model', logCause: unread.join('; ') })
  }
  throw modelNotFound(model, { logCause: describeMissingModel(recordable(model), isPermitted) })
}

/**
 * The pattern of model names as providers write them. It excludes prompts, which have spaces, and keys of Headgate or
 * of a provider.
 */
const modelName = /^(?!sk-|hgt_)[a-z0-9][\w.:/@-]{0,63}$/i

/** The model name for the log; undefined where the text may be a prompt or a secret, which must not be stored. */
function recordable(model: string): string | undefined {
  return modelName.test(model) ? model : undefined
}
