import { errorRow } from '../canonical/error-table.ts'
import { causeOf, GatewayError } from '../canonical/failure.ts'
import type { Loss } from '../canonical/loss.ts'
import type { Target } from '../catalog/catalog.ts'
import type { Credential } from '../catalog/channel.ts'
import { stackOf } from '../kit/errors/stack-of.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { Plan } from '../routing/plan-attempts.ts'
import { nameClient } from '../telemetry/name-client.ts'
import type { PlannedRow, RequestRow } from '../telemetry/observer.ts'
import type { Redactor } from '../telemetry/redact.ts'
import type { AnswerOrigin, AttemptLog } from './attempt/attempt-log.ts'
import { bodyLengthOf, type CallerRequest } from './exchange/caller-request.ts'
import type { ExchangeOutcome } from './exchange/exchange-outcome.ts'
import type { TimeAccount } from './exchange/time-account.ts'
import type { ResponseWriter } from './response/response-writer.ts'

/** The end of a request, and the cause that only operators may see. */
export interface ExchangeEnding {
  readonly outcome: ExchangeOutcome | { readonly type: 'in-progress' }
  readonly cause: string | undefined
}

export const notEnded: ExchangeEnding = { outcome: { type: 'in-progress' }, cause: undefined }

/** The ending of a request that was served without a fault of the gateway. */
export function endingWith(outcome: ExchangeOutcome): ExchangeEnding {
  return { outcome, cause: outcome.type === 'failed' ? outcome.failure.logCause : undefined }
}

/** The cause of a fault that broke off a request, for operators. */
export function describeFault(error: unknown): string | undefined {
  if (error instanceof GatewayError) return causeOf(error)
  return stackOf(error)
}

export interface EndedExchange {
  readonly request: CallerRequest
  /** The public name of the model, set once the model is known to exist. */
  readonly model: string | undefined
  readonly isStream: boolean
  /** Whether the answer comes from another request with the same idempotency key. */
  readonly isReplay: boolean
  /** The last plan; undefined if no plan was made. */
  readonly plan: Plan | undefined
  readonly times: TimeAccount
  readonly attempts: AttemptLog
  readonly ending: ExchangeEnding
  /** Undefined where nothing was sent. */
  readonly writer: Pick<ResponseWriter, 'statusSent' | 'bytesSent'> | undefined
}

/** Writes the one row of a request, for logs and metrics. */
export function writeRow(
  { request, model, isStream, isReplay, plan, times, attempts, ending, writer }: EndedExchange,
  { redactor, clock }: { readonly redactor: Redactor; readonly clock: Clock },
): RequestRow {
  const { caller } = request
  const { outcome, cause } = ending
  const { answer, spent } = attempts
  const target = answer.type === 'target' ? answer.target : undefined
  return {
    requestId: request.requestId,
    method: methodOf(request),
    // Some clients put their key into the base address.
    path: redactor.redact(request.path),
    format: request.format.id,
    status: writer?.statusSent ?? statusWithoutAnswer(outcome),
    error: errorOf(outcome),
    cause: cause === undefined ? undefined : redactor.redact(cause),
    keyId: caller.keyId,
    keyName: caller.keyName,
    user: caller.user,
    group: caller.group,
    address: request.address,
    client: clientOf(request, redactor),
    isStream,
    model,
    channel: target?.channel.name,
    upstreamModel: target?.upstreamModel,
    candidates: plan === undefined ? [] : listPlanned(plan),
    attempts: attempts.rows,
    usage: attempts.usage,
    cost: spent?.cost,
    charged: spent?.charged,
    losses: lossesOf(answer),
    callerLeft: outcome.type === 'caller-gone',
    isRecovered: answer.type === 'target' && answer.isRecovered,
    isReplay: isReplay ? true : undefined,
    bytesIn: bodyLengthOf(request),
    bytesOut: writer?.bytesSent ?? 0,
    firstContentMs: attempts.firstContentMs,
    receiveMs: times.receiveMs,
    queueMs: times.queueMs,
    totalMs: clock.monotonicMs() - request.startedAtMs,
    endedAtMs: clock.nowMs(),
  }
}

function methodOf(request: CallerRequest): string {
  switch (request.type) {
    case 'operation':
      return 'POST'
    case 'stored-response':
      return request.stored.method
    case 'object':
    case 'passthrough':
      return request.method
  }
}

const noLosses: readonly Loss[] = []

function lossesOf(answer: AnswerOrigin): readonly Loss[] {
  return answer.type === 'nothing' ? noLosses : answer.losses
}

function clientOf({ headers }: CallerRequest, redactor: Redactor): string | undefined {
  const client = nameClient(headers['user-agent'])
  return client === undefined ? undefined : redactor.redact(client)
}

/** The status in the row of a request for which no status was sent. */
export function statusWithoutAnswer(outcome: ExchangeEnding['outcome']): number {
  switch (outcome.type) {
    case 'caller-gone':
      return errorRow('client_closed_request').status
    case 'failed':
      return errorRow(outcome.failure.code).status
    // A fault of the gateway, after which nothing could be sent.
    case 'answered':
    case 'in-progress':
      return errorRow('internal_error').status
  }
}

function errorOf(outcome: ExchangeEnding['outcome']): RequestRow['error'] {
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
