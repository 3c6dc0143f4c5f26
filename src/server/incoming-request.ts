import type { IncomingMessage, ServerResponse } from 'node:http'
import { GatewayError } from '../canonical/failure.ts'
import type { UploadedForm } from '../canonical/uploads/uploaded-form.ts'
import { BodyBytes } from '../kit/json/body-bytes.ts'
import type {
  CallerRequest,
  OperationRequest,
  PassthroughRequest,
} from '../pipeline/exchange/caller-request.ts'
import { IDEMPOTENCY_HEADER } from '../pipeline/idempotency/share-call.ts'
import type { IncomingBody, IncomingRequest } from '../pipeline/serve.ts'
import type { SpooledFiles } from '../uploads/open-spool.ts'
import type { MemoryAllowance } from '../uploads/spooled-bytes.ts'
import { nameModel } from '../wire/verbatim/name-model.ts'
import { authenticate } from './authenticate-request.ts'
import type { BodyHold } from './body/body-budget.ts'
import { readBody, type UnbufferedRequest } from './body/read-body.ts'
import { isForm, receiveBytes, receiveForm } from './body/receive-form.ts'
import { openUnreadBody } from './body/unread-body.ts'
import { announcesBody, checkMediaType, findAsk } from './check-head.ts'
import { closeAfterAnswer } from './end-connection.ts'
import type { ListenerOptions } from './listener/listener-options.ts'
import { createResponseSink, type StoppableSink } from './node-response-sink.ts'
import { findOwnOrigin } from './own-origin.ts'
import type { KnownIdentity, RequestHead, RequestingCaller } from './request-head.ts'
import type { ExchangeRoute, ExchangeTerms, ServerRoute } from './route.ts'
import type { FoundRoute } from './routes/find-route.ts'
import { readPassthroughMethod, readPassthroughPath } from './routes/passthrough-routes.ts'

/** A request that a listener serves, with the resources that it holds until its end. */
export interface ServedRequest {
  readonly options: ListenerOptions
  readonly head: RequestHead
  readonly message: UnbufferedRequest
  readonly response: ServerResponse
  identity: KnownIdentity
  /** The hold of the body in the budget of bodies; undefined if the body is not counted. */
  hold: BodyHold | undefined
  /** The complete body. It is released at the end of the request. */
  body: BodyBytes | undefined
  /** The hold for the form's files in memory; undefined without a form. */
  memory: BodyHold | undefined
  /** The files of the form; undefined without a form. */
  files: SpooledFiles | undefined
  /** Removes the request from the exchanges in flight; undefined before it is one of them. */
  leave: (() => void) | undefined
}

export const noBody = BodyBytes.from([])

/** The maximum body size of an unauthenticated client, such as a user who signs in. */
const MAX_UNAUTHENTICATED_BODY_BYTES = 16_384

/**
 * Receives the complete body. The gateway never buffers the body of a caller without a valid key. Returns a promise
 * only if bytes are still to arrive, so that a request that has arrived completely continues in the same turn.
 */
export function receiveBody(
  served: ServedRequest,
  { acceptsAnyContentType }: Pick<ServerRoute, 'acceptsAnyContentType'>,
): BodyBytes | Promise<BodyBytes> {
  const { message, response, identity } = served
  // The gateway never upgrades here. Bytes sent along with the offer are not read, so they must not wait for an answer.
  if (message.headers.upgrade !== undefined) response.shouldKeepAlive = false
  if (!mayBringBody(message)) {
    closeAfterUnreadBody(served)
    return noBody
  }
  if (acceptsAnyContentType !== true) checkMediaType(message)
  const { clock, watch, limits, bodies } = served.options
  // Bodies of operators are not counted, so that the admin API stays usable under any load of callers.
  if (identity.type === 'caller') served.hold = bodies.open(identity.caller.keyId)
  const ask = findAsk(message, response)
  const maxBytes =
    identity.type === 'anyone' ? Math.min(MAX_UNAUTHENTICATED_BODY_BYTES, limits.bodyBytes) : limits.bodyBytes
  const body = readBody(message, { clock, watch, maxBytes, hold: served.hold, ask })
  return body instanceof Promise ? body.then((whole) => keepBody(served, whole)) : keepBody(served, body)
}

function keepBody(served: ServedRequest, body: BodyBytes): BodyBytes {
  served.body = body
  return body
}

/**
 * Releases the body of a request. Older garbage may still refer to a request that has ended, and would otherwise keep
 * its buffers until a full collection (decision 0006).
 */
export function releaseBody(served: ServedRequest): void {
  served.hold?.release()
  served.body?.release()
  served.body = undefined
  served.files?.release()
  served.memory?.release()
}

/**
 * Whether a request with this method may have a body. The body of a GET or HEAD request has no meaning and is not read.
 */
function mayBringBody(message: IncomingMessage): boolean {
  if (message.method === 'GET' || message.method === 'HEAD') return false
  return message.headers['content-type'] !== undefined || announcesBody(message)
}

/** Closes the connection after the answer if a part of the body was not read. */
export function closeAfterUnreadBody({
  message,
  response,
  options,
}: Pick<ServedRequest, 'message' | 'response' | 'options'>): void {
  if (!message.complete && announcesBody(message)) closeAfterAnswer({ message, response }, options.clock)
}

/** A request for the pipeline, which answers on the caller's connection. */
export class IncomingExchange implements IncomingRequest {
  readonly #served: ServedRequest
  readonly #route: ExchangeRoute
  readonly #params: FoundRoute['params']
  /** Undefined until the body has arrived. */
  #sink: StoppableSink | undefined

  constructor(served: ServedRequest, route: ExchangeRoute, params: FoundRoute['params']) {
    this.#served = served
    this.#route = route
    this.#params = params
  }

  authenticate(): RequestingCaller {
    const { head, options } = this.#served
    const caller = authenticate(head, this.#route, options)
    this.#served.identity = { type: 'caller', caller }
    return caller
  }

  receive(caller: RequestingCaller): IncomingBody | Promise<IncomingBody> {
    // A request that is admitted before the process drains is served, although its body is still to arrive.
    this.#served.leave = this.#served.options.gate.enter(() => this.#sink?.stop())
    const { acceptsForms, passesBody } = this.#route
    if (passesBody === true) return this.#receivePassthrough(caller)
    if (acceptsForms === 'bytes') return this.#receiveForm(caller, receiveBytes)
    if (acceptsForms !== undefined && isForm(this.#served.message.headers['content-type']))
      return this.#receiveForm(caller, receiveForm)
    if (acceptsForms === 'only') throw formExpected()
    const body = receiveBody(this.#served, this.#route)
    return body instanceof Promise
      ? body.then((whole) => this.#build(caller, whole))
      : this.#build(caller, body)
  }

  async #receiveForm(caller: RequestingCaller, receive: typeof receiveForm): Promise<IncomingBody> {
    const served = this.#served
    const { message, response, head, options } = served
    const { clock, watch, limits, uploads, bodies, spool } = options
    if (message.headers.upgrade !== undefined) response.shouldKeepAlive = false
    const hold = uploads.open(caller.keyId)
    served.hold = hold
    const memory = bodies.open(caller.keyId)
    served.memory = memory
    const files = spool.open(head.requestId, shareMemory(limits.uploadMemoryBytes, memory))
    served.files = files
    const form = await receive(message, {
      clock,
      watch,
      hold,
      files,
      maxBytes: limits.uploadBytes,
      needsDigest: message.headers[IDEMPOTENCY_HEADER] !== undefined,
      ask: findAsk(message, response),
    })
    const { format } = this.#route
    const body = keepBody(served, options.formats[format].readForm?.(form) ?? noBody)
    return this.#build(caller, body, form)
  }

  /** The body is read only when a provider is called, at the provider's pace. */
  #receivePassthrough(caller: RequestingCaller): IncomingBody {
    const served = this.#served
    const { head, options, response, message } = served
    const { requestId, path, query, address, startedAtMs } = head
    const unread = openUnreadBody(served, caller)
    const sink = createResponseSink(response)
    this.#sink = sink
    const request: PassthroughRequest = {
      type: 'passthrough',
      requestId,
      path,
      query,
      address,
      startedAtMs,
      caller,
      body: noBody,
      format: options.formats.chat,
      headers: message.headers,
      method: readPassthroughMethod(message.method),
      ...readPassthroughPath(path),
      unread,
    }
    return { request, sink }
  }

  #build(caller: RequestingCaller, sent: BodyBytes, form?: UploadedForm): IncomingBody {
    const { head, options, response } = this.#served
    const route = this.#route
    const routeTerms: ExchangeTerms = route.readTerms?.({ head, params: this.#params }) ?? route
    const { format, operation = options.formats[format], terms, model, stored, object, wrapSink } = routeTerms
    const body = model === undefined ? sent : keepBody(this.#served, nameModel(sent, model))
    const { requestId, path, query, address, startedAtMs, message } = head
    const received = {
      requestId,
      path,
      query,
      address,
      startedAtMs,
      caller,
      body,
      form,
      format: operation,
      headers: message.headers,
    }
    const origin = object === undefined ? '' : findOwnOrigin(head, options.adminHosts())
    const request = writeCallerRequest(received, { terms, stored, object, method: route.method, origin })
    const sink = createResponseSink(response)
    this.#sink = sink
    return { request, sink: wrapSink?.(sink) ?? sink }
  }
}

interface RouteTerms extends Pick<ExchangeRoute, 'method'> {
  readonly terms: ExchangeTerms['terms']
  readonly stored: ExchangeTerms['stored'] | undefined
  readonly object: ExchangeTerms['object']
  readonly origin: string
}

function writeCallerRequest(
  received: Omit<OperationRequest, 'type' | 'terms'>,
  { terms, stored, object, method, origin }: RouteTerms,
): CallerRequest {
  if (stored !== undefined) return { ...received, type: 'stored-response', stored }
  if (object === undefined) return { ...received, type: 'operation', terms }
  return {
    ...received,
    type: 'object',
    method: method === 'DELETE' || method === 'GET' || method === 'PATCH' ? method : 'POST',
    requested: object,
    origin,
  }
}

/** Files stay in memory up to a bound, and while the budget of all bodies has room. */
function shareMemory(maxBytes: number, hold: BodyHold): MemoryAllowance {
  let left = maxBytes
  return {
    grow(bytes) {
      if (bytes > left || hold.grow(bytes) !== undefined) return false
      left -= bytes
      return true
    },
  }
}

function formExpected(): GatewayError {
  return new GatewayError('unsupported_media_type', {
    message: 'The body of this path must be sent as "Content-Type: multipart/form-data".',
  })
}
