import { permits } from '../access/permission.ts'
import { GatewayError } from '../canonical/failure.ts'
import type { ChatRequest } from '../canonical/request.ts'
import type { Catalog, Route } from '../catalog/catalog.ts'
import type { JsonObject } from '../kit/json/json.ts'
import { once } from '../kit/values/once.ts'
import type { RecoveryPolicy } from '../routing/recovery-schema.ts'
import { parseBody } from '../wire/verbatim/parse-body.ts'
import type { ConversationFormat, ScannedRequest } from '../wire/wire-format.ts'
import { asksForCost } from './exchange/answer-cost.ts'
import type { OperationRequest } from './exchange/caller-request.ts'
import { createCallerWriter } from './exchange/create-caller-writer.ts'
import type { Exchange } from './exchange/exchange.ts'
import { openReading } from './exchange/read-in-turns.ts'
import { ShownTranscript } from './exchange/shown-transcript.ts'
import { findTags } from './spending/find-tags.ts'
import { openStoredExchange, type StoredExchangeOptions } from './stored-responses/open-stored-exchange.ts'

export interface ReadDependencies extends StoredExchangeOptions {
  readonly recovery: RecoveryPolicy
}

/**
 * Scans the body, finds the model's route, checks that the key grants it, and looks up what a request of the responses
 * format refers to. Throws or rejects with `GatewayError`.
 */
export function read(
  request: OperationRequest,
  catalog: Catalog,
  dependencies: ReadDependencies,
): Exchange | Promise<Exchange> {
  const exchange = openExchange(request, catalog, dependencies.recovery)
  const isResponse = exchange.kind === 'conversation' && exchange.format.continuesResponses === true
  return isResponse ? openStoredExchange(exchange, dependencies) : exchange
}

/** Scans the body, finds the model's route and checks that the key grants it. Throws `GatewayError`. */
export function openExchange(
  callerRequest: OperationRequest,
  catalog: Catalog,
  recovery: RecoveryPolicy,
): Exchange {
  const { format } = callerRequest
  const scanned = format.scanRequest(callerRequest.body, callerRequest.terms)
  const route = findPermittedRoute(callerRequest, scanned.model, catalog)
  const isStrict = callerRequest.headers['x-headgate-strict'] === '1'
  const tags = findTags(callerRequest, format, scanned)
  const opened = { callerRequest, scanned, route, isStrict, tags }
  switch (format.kind) {
    case 'conversation': {
      const { read: readRequests, stages } = openReading(scanned, (body) => readEach(format, body))
      const transcript =
        recovery.midStream === 'verified' ? openTranscript(format, scanned, callerRequest) : undefined
      return { ...opened, kind: format.kind, format, transcript, readRequests, stages }
    }
    case 'embedding': {
      const readRequest = once(() => format.readRequest(parseBody(scanned)))
      return { ...opened, kind: format.kind, format, readRequest }
    }
    case 'token-count': {
      const readRequest = once(() => format.readRequest(parseBody(scanned)))
      return { ...opened, kind: format.kind, format, readRequest }
    }
  }
}

function openTranscript(
  format: ConversationFormat,
  scanned: ScannedRequest,
  callerRequest: OperationRequest,
): ShownTranscript | undefined {
  if (!scanned.stream) return undefined
  const { requestId } = callerRequest
  const showsCost = asksForCost(callerRequest)
  return new ShownTranscript(createCallerWriter({ format, scanned, requestId, isSparse: true, showsCost }))
}

function readEach(format: ConversationFormat, body: JsonObject): readonly ChatRequest[] {
  return format.readRequests?.(body) ?? [format.readRequest(body)]
}

/** The same words whether the model is not there or the key may not use it: names are not for those without a grant. */
function findPermittedRoute({ caller }: OperationRequest, model: string, catalog: Catalog): Route {
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
