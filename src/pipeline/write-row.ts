import type { Target } from '../catalog/catalog.ts'
import type { Credential } from '../catalog/channel.ts'
import type { Plan } from '../routing/plan-attempts.ts'
import type { PlannedRow, RequestRow } from '../telemetry/observer.ts'
import type { CallerRequest } from './exchange/caller-request.ts'
import type { ExchangeRecord } from './exchange/exchange-record.ts'
import type { Gateway } from './gateway.ts'
import type { ResponseWriter } from './response/response-writer.ts'

export interface RowInput {
  readonly received: CallerRequest
  readonly trace: ExchangeRecord
  /** Undefined where nothing was sent. */
  readonly outlet: ResponseWriter | undefined
  readonly gateway: Gateway
}

/** What a caller who left before any status was sent is noted as. */
const CALLER_LEFT_STATUS = 499

/** The one row that logs and metrics get of a request. */
export function writeRow({ received, trace, outlet, gateway }: RowInput): RequestRow {
  const { caller } = received
  return {
    requestId: received.requestId,
    method: received.stored?.method ?? 'POST',
    path: received.path,
    format: received.format.id,
    status: outlet?.statusSent ?? CALLER_LEFT_STATUS,
    error: trace.failure?.code ?? (trace.callerLeft ? 'client_closed_request' : undefined),
    cause: trace.cause === undefined ? undefined : gateway.redactor.redact(trace.cause),
    keyId: caller.keyId,
    keyName: caller.keyName,
    group: caller.group,
    address: received.address,
    isStream: trace.isStream,
    model: trace.model,
    channel: trace.channel,
    upstreamModel: trace.upstreamModel,
    candidates: listPlanned(trace.plan),
    attempts: trace.attempts,
    usage: trace.usage,
    losses: trace.losses,
    callerLeft: trace.callerLeft,
    isRecovered: trace.isRecovered,
    bytesIn: received.body.length,
    bytesOut: outlet?.bytesSent ?? 0,
    firstContentMs: trace.firstContentMs,
    receiveMs: trace.receiveMs,
    queueMs: trace.queueMs,
    totalMs: gateway.clock.monotonicMs() - received.startedAtMs,
    endedAtMs: gateway.clock.nowMs(),
  }
}

function listPlanned({ candidates, excluded }: Plan): readonly PlannedRow[] {
  const planned = candidates.map(({ target, credential }) => describePlanned(target, credential))
  if (excluded.length === 0) return planned
  const left = excluded.map(({ target, credential, reason }) => ({
    ...describePlanned(target, credential),
    excluded: reason,
  }))
  return [...planned, ...left]
}

function describePlanned({ channel, upstreamModel }: Target, credential: Credential | undefined): PlannedRow {
  return { channel: channel.name, upstreamModel, credentialId: credential?.id }
}
