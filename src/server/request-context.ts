import type { IncomingMessage } from 'node:http'
import type { Failure } from '../canonical/failure.ts'
import { createRequestId } from '../kit/request-id.ts'
import type { Received } from '../pipeline/received.ts'
import type { WireFormat } from '../wire/wire-format.ts'
import type { ListenerParts } from './listener-parts.ts'
import type { Route } from './route.ts'

/** What is known of a request before its body is read. */
export interface RequestContext {
  readonly requestId: string
  readonly startedAtMs: number
  readonly address: string
  /** Path without query, after a doubled `/v1` was taken away. */
  readonly path: string
  readonly query: string
  /** How errors are worded. */
  readonly format: WireFormat
  readonly message: IncomingMessage
  /** Set once the key was checked. */
  caller: Received['caller'] | undefined
  /** The pipeline answers, and notes the request itself. */
  isTakenOver: boolean
  /** Set where the request was refused. */
  refusal: { readonly failure: Failure; readonly error: unknown } | undefined
}

export function openContext(
  message: IncomingMessage,
  route: Route | undefined,
  { frontDoor, formats, clock }: ListenerParts,
): RequestContext {
  const { path, query } = splitTarget(withoutDoubledVersion(message.url ?? '/'))
  return {
    requestId: createRequestId(),
    startedAtMs: clock.monotonicMs(),
    address: frontDoor.findAddress({
      peer: message.socket.remoteAddress,
      forwardedFor: message.headers['x-forwarded-for'],
    }),
    path,
    query,
    format: formats[route?.format ?? guessFormat(path, message)],
    message,
    caller: undefined,
    isTakenOver: false,
    refusal: undefined,
  }
}

/** Where the path belongs to no format, the client's own header says which words it understands. */
function guessFormat(path: string, message: IncomingMessage): 'chat' | 'messages' {
  const isMessages = path.startsWith('/v1/messages') || message.headers['anthropic-version'] !== undefined
  return isMessages ? 'messages' : 'chat'
}

function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf('?')
  return mark === -1
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/** An SDK whose base already ends in /v1 asks for /v1/v1/…; both are the same place. */
export function withoutDoubledVersion(target: string): string {
  return target.startsWith('/v1/v1/') ? target.slice(3) : target
}
