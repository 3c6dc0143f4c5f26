import type { ListenerOptions } from './listener/listener-options.ts'
import type { RequestContext } from './request-context.ts'
import type { Route } from './route.ts'

export interface RefusalInput {
  readonly context: RequestContext
  readonly route: Route | undefined
  readonly status: number
  readonly options: ListenerOptions
}

/** Tells the observer of a request that the pipeline did not see; probes that went well are left out. */
export function logRefusal({ context, route, status, options }: RefusalInput): void {
  if (route?.policy === 'anyone' && status < 500) return
  if (route?.policy === 'metrics' && status < 400) return
  const { refusal, caller, message } = context
  options.observer.requestEnded({
    requestId: context.requestId,
    method: message.method ?? '',
    path: context.path,
    format: route?.format,
    status,
    error: refusal?.failure.code,
    cause: describeCause(refusal?.error, status >= 500),
    keyId: caller?.keyId,
    keyName: caller?.keyName,
    group: caller?.group,
    address: context.address,
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
    bytesOut: 0,
    firstContentMs: undefined,
    receiveMs: 0,
    queueMs: 0,
    totalMs: options.clock.monotonicMs() - context.startedAtMs,
    endedAtMs: options.clock.nowMs(),
  })
}

function describeCause(error: unknown, isOurs: boolean): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.cause instanceof Error) return error.cause.message
  if (error.name === 'GatewayError') return undefined
  // Where the code failed matters only where it is at fault, and not to whoever sent a wrong header.
  return isOurs ? (error.stack ?? error.message) : error.message
}
