import type { IncomingMessage } from 'node:http'
import type { AdminRequest } from '../admin/admin-route.ts'
import type { CallerRequest } from '../pipeline/exchange/caller-request.ts'
import type { FormatFrames } from '../wire/wire-format.ts'

/** The head of a request, before the key is checked. */
export interface RequestHead {
  readonly requestId: string
  readonly startedAtMs: number
  readonly address: string
  /** The path without query. Aliases, such as a doubled `/v1`, are replaced by the path that they stand for. */
  readonly path: string
  readonly query: string
  readonly format: FormatFrames
  readonly message: IncomingMessage
}

/** The caller, by way of the pipeline, since the server does not import `access`. */
export type RequestingCaller = CallerRequest['caller']

/** The identity of a request after its key or token was checked. */
export type Identity =
  | { readonly type: 'anyone' }
  /** The field `principal` is set only for the admin API. */
  | { readonly type: 'operator'; readonly principal?: AdminRequest['principal'] }
  | { readonly type: 'caller'; readonly caller: RequestingCaller }

/** The identity of a request as far as it is known. A request may be refused before its key is checked. */
export type KnownIdentity = Identity | { readonly type: 'unknown' }
