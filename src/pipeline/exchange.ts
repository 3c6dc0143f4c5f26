import { permits } from '../access/key.ts'
import { type Failure, GatewayError } from '../canonical/failure.ts'
import type { ChatRequest } from '../canonical/request.ts'
import type { Catalog, Route } from '../catalog/catalog.ts'
import { parseBody } from '../wire/parse-body.ts'
import type { ScannedRequest } from '../wire/wire-format.ts'
import type { Received } from './received.ts'

/** A request that is known to be sound and allowed, and what its attempts need of it. */
export interface Exchange {
  readonly received: Received
  readonly scanned: ScannedRequest
  readonly route: Route
  /** Refuse instead of losing a field in translation. */
  readonly isStrict: boolean
  /** Reads every field, once, when the first attempt needs it. Throws what the format forbids. */
  readCanonical(): ChatRequest
}

/** Scans the body, finds the model's route and checks that the key grants it. Throws `GatewayError`. */
export function openExchange(received: Received, catalog: Catalog): Exchange {
  const scanned = received.format.scanRequest(received.body)
  const route = findPermittedRoute(received, scanned.model, catalog)
  let canonical: ChatRequest | undefined
  return {
    received,
    scanned,
    route,
    isStrict: received.headers['x-headgate-strict'] === '1',
    readCanonical() {
      canonical ??= received.format.readRequest(parseBody(scanned))
      return canonical
    },
  }
}

function findPermittedRoute({ caller }: Received, model: string, catalog: Catalog): Route {
  const shown = JSON.stringify(model.slice(0, 256))
  const route = catalog.findRoute(model)
  if (route === undefined) {
    throw new GatewayError('model_not_found', {
      param: 'model',
      message: `There is no model ${shown} here. GET /v1/models lists the models that this key may use.`,
    })
  }
  if (!permits(caller.permission, model)) {
    throw new GatewayError('model_not_permitted', {
      param: 'model',
      message: `This API key may not use the model ${shown}. GET /v1/models lists the models that it may use.`,
    })
  }
  return route
}

/** Whether a value that a lane gave is a failure. */
export function isFailure<Value extends object>(value: Value | Failure): value is Failure {
  return 'code' in value && 'message' in value
}
