import type { IncomingMessage } from 'node:http'
import { createRequestId } from '../kit/values/request-id.ts'
import type { ListenerOptions } from './listener/listener-options.ts'
import type { RequestContext } from './request-context.ts'
import type { Route } from './route.ts'

export interface Asked {
  readonly path: string
  readonly query: string
  /** Undefined where there is none at the path. */
  readonly route: Route | undefined
}

export function openContext(
  message: IncomingMessage,
  { path, query, route }: Asked,
  { callerAccess, formats, clock }: ListenerOptions,
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
    format: formats[route?.format ?? guessFormat(path, message)],
    message,
    askForBody: undefined,
    caller: undefined,
    bodyHold: undefined,
    refusal: undefined,
  }
}

/** Where the path belongs to no format, the client's own header says which words it understands. */
function guessFormat(path: string, message: IncomingMessage): 'chat' | 'messages' | 'gemini' {
  if (/^\/v1(?:beta|alpha)\//.test(path)) return 'gemini'
  const isMessages = path.startsWith('/v1/messages') || message.headers['anthropic-version'] !== undefined
  return isMessages ? 'messages' : 'chat'
}
