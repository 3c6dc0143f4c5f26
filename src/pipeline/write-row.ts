import type { Target } from '../catalog/catalog.ts'
import type { Credential } from '../catalog/channel.ts'
import type { Plan } from '../routing/plan-attempts.ts'
import type { PlannedRow, RequestRow } from '../telemetry/observer.ts'
import type { CallerRequest } from './exchange/caller-request.ts'
import type { ExchangeRecord } from './exchange/exchange-record.ts'
import type { Gateway } from './gateway.ts'
import type { ResponseWriter } from './response/response-writer.ts'

export interface RowInput {
  readonly callerRequest: CallerRequest
  readonly record: ExchangeRecord
  /** Undefined where nothing was sent. */
  readonly writer: ResponseWriter | undefined
  readonly gateway: Gateway
}

/** What a caller who left before any status was sent is noted as. */
const CALLER_LEFT_STATUS = 499

/** The one row that logs and metrics get of a request. */
export function writeRow({ callerRequest, record, writer, gateway }: RowInput): RequestRow {
  const { caller } = callerRequest
  return {
    requestId: callerRequest.requestId,
    method: callerRequest.stored?.method ?? 'POST',
    path: callerRequest.path,
    format: callerRequest.format.id,
    status: writer?.statusSent ?? CALLER_LEFT_STATUS,
    error: record.failure?.code ?? (record.callerLeft ? 'client_closed_request' : undefined),
    cause: record.cause === undefined ? undefined : gateway.redactor.redact(record.cause),
    keyId: caller.keyId,
    keyName: caller.keyName,
    group: caller.group,
    address: callerRequest.address,
    isStream: record.isStream,
    model: record.model,
    channel: record.channel,
    upstreamModel: record.upstreamModel,
    candidates: listPlanned(record.plan),
    attempts: record.attempts,
    usage: record.usage,
    losses: record.losses,
    callerLeft: record.callerLeft,
    isRecovered: record.isRecovered,
    bytesIn: callerRequest.body.length,
    bytesOut: writer?.bytesSent ?? 0,
    firstContentMs: record.firstContentMs,
    receiveMs: record.receiveMs,
    queueMs: record.queueMs,
    totalMs: gateway.clock.monotonicMs() - callerRequest.startedAtMs,
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
