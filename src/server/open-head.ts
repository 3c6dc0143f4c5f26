import type { IncomingMessage } from 'node:http'
import type { OperationId } from '../canonical/format.ts'
import { createRequestId } from '../kit/random/ids.ts'
import { chooseStyle } from '../wire/model-list/write-model-list.ts'
import type { ListenerOptions } from './listener/listener-options.ts'
import type { RequestHead } from './request-head.ts'
import { guessFileFormat } from './routes/object-routes.ts'
import { toVersionPath } from './to-version-path.ts'

interface RequestTarget {
  readonly path: string
  readonly query: string
  /** The route's operation; undefined where the path belongs to no format. */
  readonly format: OperationId | undefined
}

/** Opens the head of a request. Its clock starts here, and its ID is made here. */
export function openHead(
  message: IncomingMessage,
  { path, query, format }: RequestTarget,
  { callerAccess, formats, clock }: ListenerOptions,
): RequestHead {
  return {
    requestId: createRequestId(clock.nowMs()),
    startedAtMs: clock.monotonicMs(),
    address: callerAccess.findAddress({
      peer: message.socket.remoteAddress,
      forwardedFor: message.headers['x-forwarded-for'],
    }),
    path,
    query,
    format: formats[format ?? guessFormat(path, query, message)],
    message,
  }
}

/** Guesses the client's format from its headers and its query, if the path belongs to no format. */
function guessFormat(
  path: string,
  query: string,
  { headers }: IncomingMessage,
): 'chat' | 'messages' | 'gemini' | 'ollama-chat' {
  if (path.startsWith('/api/')) return 'ollama-chat'
  if (/^\/v1(?:beta|alpha)\//.test(path)) return 'gemini'
  if (/^\/v1\/files(?:\/|$)/.test(path)) return guessFileFormat(headers)
  if (path.startsWith('/v1/messages')) return 'messages'
  // Google's clients use /v1, too, whose list of models is shared by all formats.
  const hasQueryKey = path.startsWith('/v1/models') && new URLSearchParams(query).has('key')
  return chooseStyle({ headers, hasQueryKey })
}

const ABSOLUTE = /^https?:\/\/([^/?#]+)(.*)$/is

/**
 * The path and query of a request. The absolute form that proxies use is accepted if its host equals the header "Host".
 * Every other form stays unchanged, and is refused later. A doubled `/v1` is removed, and Azure's paths are mapped to
 * those of `/v1`.
 */
export function readTarget({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
  if (url.startsWith('/')) return toVersionPath(url)
  const [, host = '', rest = ''] = ABSOLUTE.exec(url) ?? []
  if (host === '' || host.toLowerCase() !== headers.host?.toLowerCase()) return url
  return toVersionPath(rest.startsWith('/') ? rest : `/${rest}`)
}

/** Splits a target into its path and its query, which may be empty. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf('?')
  return mark === -1
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}
