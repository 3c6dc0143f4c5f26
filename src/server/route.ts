import type { ServerResponse } from 'node:http'
import type { AnyAdminRoute } from '../admin/admin-route.ts'
import type { OperationId } from '../canonical/format.ts'
import type { BodyBytes } from '../kit/json/body-bytes.ts'
import type { AskedObject, StoredResponseRequest } from '../pipeline/exchange/caller-request.ts'
import type { ResponseSink } from '../pipeline/response/response-sink.ts'
import type { CallerFormat } from '../wire/caller-format.ts'
import type { RequestTerms } from '../wire/wire-format.ts'
import type { Identity, RequestHead } from './request-head.ts'

/** The parts of a request that a route gets. */
export interface Exchanged {
  readonly context: RequestHead
  readonly identity: Identity
  readonly response: ServerResponse
  /** The whole body; empty without one. */
  readonly body: BodyBytes
  /** Parts of the path that the route names, decoded. */
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
  /** Whether the path is served only by a host name that the listener is known by. */
  readonly forOperators?: true
  /** The format of the operation, where the path belongs to one. */
  readonly format?: OperationId
  /**
   * Whether JSON may come under any content type, as `curl -d` sends it. The key is in a header, which no web page can
   * send to another site unasked.
   */
  readonly acceptsAnyContentType?: true
  /** Whether `?key=` may hold the caller's key. */
  readonly acceptsQueryKey?: boolean
}

/** A route that is answered here. */
export interface ReplyRoute extends CommonRoute {
  readonly type: 'reply'
  /** Whether a body is not read, whatever it is. */
  readonly ignoresBody?: true
  /**
   * The rule of who may call it. There is no default: a route without a policy does not compile. `metrics` admits a
   * reader of the metrics, with a token where the listener asks for one.
   */
  readonly policy: 'anyone' | 'caller' | 'metrics' | AnyAdminRoute['policy']
  readonly handle: (exchanged: Exchanged) => RouteReply | Promise<RouteReply | 'handed-over'> | 'handed-over'
}

/** A route that the pipeline serves. */
export interface ExchangeRoute extends CommonRoute {
  readonly type: 'exchange'
  readonly policy: 'caller'
  readonly format: OperationId
  /** Whether clients of several formats ask this path, so that their headers say in which an error is written. */
  readonly guessesFormat?: true
  /** Whether its body may be a form, or must be one, or is bytes of any kind: the one file of a form. */
  readonly acceptsForms?: 'too' | 'only' | 'bytes' | undefined
  /** Whether its body goes on to a provider as it comes, whatever it is. */
  readonly passesBody?: true
  /**
   * Reads the terms of the path and the query, where they hold more. Throws `GatewayError` where that is not served.
   */
  readonly readTerms?: (exchanged: Pick<Exchanged, 'context' | 'params'>) => ExchangeTerms
}

export type ServerRoute = ReplyRoute | ExchangeRoute

/** The terms of an exchange that are not in the body. */
export interface ExchangeTerms {
  readonly format: OperationId
  /** The terms of the path, where the format has them there. */
  readonly terms?: RequestTerms | undefined
  /** The model of the path, where the format has it in the body. */
  readonly model?: string | undefined
  /** The operation, where it is not the format's own. */
  readonly operation?: CallerFormat
  readonly stored?: StoredResponseRequest
  /** The file or batch that is asked for. */
  readonly object?: AskedObject | undefined
  /** Wraps the sink where the answer's bytes are framed otherwise than the format does. */
  readonly wrapSink?: ((sink: ResponseSink) => ResponseSink) | undefined
}
