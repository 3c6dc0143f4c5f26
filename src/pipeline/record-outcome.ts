import { errorRow } from '../canonical/error-table.ts'
import { causeOf, GatewayError } from '../canonical/failure.ts'
import type { Target } from '../catalog/catalog.ts'
import type { Credential } from '../catalog/channel.ts'
import { stackOf } from '../kit/errors/stack-of.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { Plan } from '../routing/plan-attempts.ts'
import { nameClient } from '../telemetry/name-client.ts'
import type { PlannedRow, RequestRow } from '../telemetry/observer.ts'
import type { Redactor } from '../telemetry/redact.ts'
import type { CallerRequest } from './exchange/caller-request.ts'
import type { ExchangeOutcome, ExchangeRecord } from './exchange/exchange-record.ts'
import type { ResponseWriter } from './response/response-writer.ts'

export function startRecord(startedAtMs: number, nowMs: number): ExchangeRecord {
  return {
    attempts: [],
    receiveMs: nowMs - startedAtMs,
    queueMs: 0,
    accountedAtMs: nowMs,
    isRecovered: false,
    isReplay: false,
    plan: undefined,
    model: undefined,
    isStream: false,
    answeredBy: undefined,
    usage: undefined,
    spent: undefined,
    losses: [],
    outcome: { type: 'under-way' },
    cause: undefined,
    firstContentMs: undefined,
  }
}

/** Enters how the request ended into its record, before the caller gets the rest. */
export function recordOutcome(record: ExchangeRecord, outcome: ExchangeOutcome): void {
  record.outcome = outcome
  if (outcome.type === 'failed') record.cause ??= outcome.failure.logCause
}

/** The cause of a fault that broke a request off, for operators. */
export function describeFault(error: unknown): string | undefined {
  if (error instanceof GatewayError) return causeOf(error)
  return stackOf(error)
}

export interface EndedExchange {
  readonly request: CallerRequest
  readonly record: ExchangeRecord
  /** Undefined where nothing was sent. */
  readonly writer: Pick<ResponseWriter, 'statusSent' | 'bytesSent'> | undefined
}

/** The status of a caller who left before any was sent. */
const CALLER_LEFT_STATUS = 499
/** The status of a fault of ours after which nothing could be sent. */
const FAULT_STATUS = 500

/** The one row that logs and metrics get of a request. */
export function writeRow(
  { request, record, writer }: EndedExchange,
  { redactor, clock }: { readonly redactor: Redactor; readonly clock: Clock },
): RequestRow {
  const { caller } = request
  const callerLeft = record.outcome.type === 'caller-gone'
  return {
    requestId: request.requestId,
    method: request.type === 'stored-response' ? request.stored.method : 'POST',
    path: request.path,
    format: request.format.id,
    status: writer?.statusSent ?? statusWithoutAnswer(record.outcome),
    error: errorOf(record.outcome),
    cause: record.cause === undefined ? undefined : redactor.redact(record.cause),
    keyId: caller.keyId,
    keyName: caller.keyName,
    user: caller.user,
    group: caller.group,
    address: request.address,
    client: clientOf(request, redactor),
    isStream: record.isStream,
    model: record.model,
    channel: record.answeredBy?.channel,
    upstreamModel: record.answeredBy?.upstreamModel,
    candidates: record.plan === undefined ? [] : listPlanned(record.plan),
    attempts: record.attempts,
    usage: record.usage,
    cost: record.spent?.cost,
    charged: record.spent?.charged,
    losses: record.losses,
    callerLeft,
    isRecovered: record.isRecovered,
    ...(record.isReplay && { isReplay: true }),
    bytesIn: request.body.length,
    bytesOut: writer?.bytesSent ?? 0,
    firstContentMs: record.firstContentMs,
    receiveMs: record.receiveMs,
    queueMs: record.queueMs,
    totalMs: clock.monotonicMs() - request.startedAtMs,
    endedAtMs: clock.nowMs(),
  }
}

function clientOf({ headers }: EndedExchange['request'], redactor: Redactor): string | undefined {
  const client = nameClient(headers['user-agent'])
  return client === undefined ? undefined : redactor.redact(client)
}

/** The status in the row of a request to which none was sent. */
export function statusWithoutAnswer(outcome: ExchangeRecord['outcome']): number {
  switch (outcome.type) {
    case 'caller-gone':
      return CALLER_LEFT_STATUS
    case 'failed':
      return errorRow(outcome.failure.code).status
    case 'answered':
    case 'under-way':
      return FAULT_STATUS
  }
}

function errorOf(outcome: ExchangeRecord['outcome']): RequestRow['error'] {
  if (outcome.type === 'failed') return outcome.failure.code
  return outcome.type === 'caller-gone' ? 'client_closed_request' : undefined
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
