import type { IncomingMessage } from 'node:http'
import type { OperationId } from '../canonical/format.ts'
import type { Clock } from '../kit/time/clock.ts'
import { createRequestId } from '../kit/values/request-id.ts'
import type { CallerAccess } from '../pipeline/caller-access.ts'
import type { CallerRequest } from '../pipeline/exchange/caller-request.ts'
import type { CallerFormat } from '../wire/caller-format.ts'
import type { FormatWords } from '../wire/wire-format.ts'

/** What the head of a request says, before anybody's key is checked. */
export interface RequestContext {
  readonly requestId: string
  readonly startedAtMs: number
  readonly address: string
  /** Path without query, after a doubled `/v1` was taken away. */
  readonly path: string
  readonly query: string
  /** How errors are worded. */
  readonly format: FormatWords
  readonly message: IncomingMessage
}

export type Caller = CallerRequest['caller']

/** Who asks. A request has an identity once its key or token was checked. */
export type Identity =
  | { readonly type: 'anyone' }
  | { readonly type: 'operator' }
  | { readonly type: 'caller'; readonly caller: Caller }

export interface RequestTarget {
  readonly path: string
  readonly query: string
  /** Of the route; undefined where the path belongs to no format. */
  readonly format: OperationId | undefined
}

export interface ContextOptions {
  readonly callerAccess: Pick<CallerAccess, 'findAddress'>
  readonly formats: Readonly<Record<OperationId, CallerFormat>>
  readonly clock: Clock
}

export function openContext(
  message: IncomingMessage,
  { path, query, format }: RequestTarget,
  { callerAccess, formats, clock }: ContextOptions,
): RequestContext {
  return {
    requestId: createRequestId(clock.nowMs()),
    startedAtMs: clock.monotonicMs(),
    address: callerAccess.findAddress({
      peer: message.socket.remoteAddress,
      forwardedFor: message.headers['x-forwarded-for'],
    }),
    path,
    query,
    format: formats[format ?? guessFormat(path, message)],
    message,
  }
}

/** Where the path belongs to no format, the client's own header says which words it understands. */
function guessFormat(path: string, message: IncomingMessage): 'chat' | 'messages' | 'gemini' {
  if (/^\/v1(?:beta|alpha)\//.test(path)) return 'gemini'
  const isMessages = path.startsWith('/v1/messages') || message.headers['anthropic-version'] !== undefined
  return isMessages ? 'messages' : 'chat'
}

const ABSOLUTE = /^https?:\/\/([^/?#]+)(.*)$/is

/**
 * Path and query of a request. The absolute form that proxies use is taken where its host is that of the header;
 * every other one stays as it is, to be refused. A doubled `/v1` is taken away.
 */
export function readTarget({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
  if (url.startsWith('/')) return withoutDoubledVersion(url)
  const [, host = '', rest = ''] = ABSOLUTE.exec(url) ?? []
  if (host === '' || host.toLowerCase() !== headers.host?.toLowerCase()) return url
  return withoutDoubledVersion(rest.startsWith('/') ? rest : `/${rest}`)
}

/** An SDK whose base already ends in /v1 asks for /v1/v1/…; both lead to the same route. */
function withoutDoubledVersion(target: string): string {
  return target.startsWith('/v1/v1/') ? target.slice(3) : target
}
