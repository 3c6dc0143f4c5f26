import type { ServerResponse } from 'node:http'
import type { AnyAdminRoute } from '../admin/admin-route.ts'
import type { OperationId } from '../canonical/format.ts'
import type { BodyBytes } from '../kit/json/body-bytes.ts'
import type { RequestedObject, StoredResponseRequest } from '../pipeline/exchange/caller-request.ts'
import type { ResponseSink } from '../pipeline/response/response-sink.ts'
import type { CallerFormat } from '../wire/caller-format.ts'
import type { RequestTerms } from '../wire/wire-format.ts'
import type { Identity, RequestHead } from './request-head.ts'

/** The parts of a request that are passed to a route. */
export interface Exchanged {
  readonly head: RequestHead
  readonly identity: Identity
  readonly response: ServerResponse
  /** The complete body; empty if there is none. */
  readonly body: BodyBytes
  /** The named parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
}

/** The answer of a route that does not take over the connection. */
export interface RouteReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body: string | Buffer
}

interface CommonRoute {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path in the router's notation: `:name` for one part, `*` for the rest. */
  readonly path: string
  /** Whether the path is served only under a known host name of the listener. */
  readonly forOperators?: true
  /** The format of the operation, if the path belongs to one. */
  readonly format?: OperationId
  /**
   * Whether JSON is accepted under any content type, such as the one that `curl -d` sends. That is safe since the key
   * is in a header, which a web page cannot send to another site without permission.
   */
  readonly acceptsAnyContentType?: true
  /** Whether the caller's key may be in `?key=`. */
  readonly acceptsQueryKey?: boolean
}

/** A route that the listener answers itself. */
export interface ReplyRoute extends CommonRoute {
  readonly type: 'reply'
  /** Whether the body is ignored. */
  readonly ignoresBody?: true
  /**
   * The rule for who may call the route. There is no default: a route without a policy does not compile. `metrics`
   * admits readers of the metrics, with a token if the listener requires one.
   */
  readonly policy: 'anyone' | 'caller' | 'metrics' | AnyAdminRoute['policy']
  readonly handle: (exchanged: Exchanged) => RouteReply | Promise<RouteReply | 'handed-over'> | 'handed-over'
}

/** A route that the pipeline serves. */
export interface ExchangeRoute extends CommonRoute {
  readonly type: 'exchange'
  readonly policy: 'caller'
  readonly format: OperationId
  /** Whether clients of several formats use this path. Their headers then decide the format of errors. */
  readonly guessesFormat?: true
  /**
   * Whether the body may be a form (`too`), must be a form (`only`), or is any bytes that become the only file of a
   * form (`bytes`).
   */
  readonly acceptsForms?: 'too' | 'only' | 'bytes' | undefined
  /** Whether any body is accepted and streamed to a provider unchanged. */
  readonly passesBody?: true
  /**
   * Reads the terms from the path and the query, if they contain any. Throws `GatewayError` if they are not supported.
   */
  readonly readTerms?: (exchanged: Pick<Exchanged, 'head' | 'params'>) => ExchangeTerms
}

export type ServerRoute = ReplyRoute | ExchangeRoute

/** The terms of an exchange that are not in the body. */
export interface ExchangeTerms {
  readonly format: OperationId
  /** The terms in the path, for formats that have them there. */
  readonly terms?: RequestTerms | undefined
  /** The model in the path, for formats that usually have it in the body. */
  readonly model?: string | undefined
  /** The operation, if it is not the usual one of the format. */
  readonly operation?: CallerFormat
  readonly stored?: StoredResponseRequest
  /** The requested file or batch. */
  readonly object?: RequestedObject | undefined
  /** Wraps the sink if the answer's bytes are framed differently from the format's usual framing. */
  readonly wrapSink?: ((sink: ResponseSink) => ResponseSink) | undefined
}
