import { causeOf, type Failure, GatewayError } from '../canonical/failure.ts'
import type { ListenerOptions } from './listener/listener-options.ts'
import type { KnownIdentity, RequestHead } from './request-head.ts'
import type { ServerRoute } from './route.ts'

/** The reason why a request was refused. */
export interface RequestRefusal {
  readonly failure: Failure
  /** The error from which the failure was made. It may say more than callers may know. */
  readonly error: unknown
}

export interface AnsweredRequest {
  readonly head: RequestHead
  readonly identity: KnownIdentity
  /** Undefined if the request was not refused. */
  readonly refusal: RequestRefusal | undefined
  readonly route: Pick<ServerRoute, 'policy' | 'format' | 'forOperators'> | undefined
  readonly status: number
  /** The bytes of the answer's body. Undefined for what has none that is counted, such as a refused handshake. */
  readonly bytesOut?: number
}

/** Logs the row of a request that did not reach the pipeline. Successful probes have no row. */
export function logAnsweredRequest(
  { head, identity, refusal, route, status, bytesOut = 0 }: AnsweredRequest,
  { observer, clock }: Pick<ListenerOptions, 'observer' | 'clock'>,
): void {
  if (route?.policy === 'anyone' && status < 500) return
  if (route?.policy === 'metrics' && status < 400) return
  const { message } = head
  const caller = identity.type === 'caller' ? identity.caller : undefined
  observer.requestEnded({
    requestId: head.requestId,
    method: message.method ?? '',
    path: head.path,
    format: route?.format,
    status,
    error: refusal?.failure.code,
    cause: describeCause(refusal?.error, status >= 500),
    keyId: caller?.keyId,
    keyName: caller?.keyName,
    user: caller?.user,
    group: caller?.group,
    address: head.address,
    ...(route?.forOperators === true && { isOperator: true as const }),
    isStream: false,
    model: undefined,
    channel: undefined,
    upstreamModel: undefined,
    candidates: [],
    attempts: [],
    usage: undefined,
    losses: [],
    callerLeft: false,
    isRecovered: false,
    bytesIn: Number(message.headers['content-length'] ?? 0),
    bytesOut,
    firstContentMs: undefined,
    receiveMs: 0,
    queueMs: 0,
    totalMs: clock.monotonicMs() - head.startedAtMs,
    endedAtMs: clock.nowMs(),
  })
}

function describeCause(error: unknown, isOurs: boolean): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof GatewayError) return causeOf(error)
  // The stack is logged only for our own faults, not for an invalid header of the client.
  return isOurs ? (error.stack ?? error.message) : error.message
}
