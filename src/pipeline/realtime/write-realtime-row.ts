import type { Failure } from '../../canonical/failure.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { Candidate } from '../../routing/candidate.ts'
import { nameClient } from '../../telemetry/name-client.ts'
import type { AttemptRow, RequestRow } from '../../telemetry/observer.ts'
import type { Gateway } from '../gateway.ts'
import type { Spent } from '../spending/attempt-charge.ts'
import type { RealtimeRequest } from './realtime-port.ts'

/** One response of a session, at its end. */
export interface EndedResponse {
  readonly requestId: string
  readonly startedAtMs: number
  readonly firstContentMs: number | undefined
  readonly bytesOut: number
  readonly usage: Usage | undefined
  /** Undefined for a response that was refused before the provider was asked for it. */
  readonly spent: Spent | undefined
  readonly failure: Failure | undefined
  readonly callerLeft: boolean
}

const SWITCHING_PROTOCOLS = 101

/** Writes the row of a response, for logs and metrics. */
export function writeRealtimeRow(
  ended: EndedResponse,
  { request, candidate }: { readonly request: RealtimeRequest; readonly candidate: Candidate },
  { clock, redactor }: Pick<Gateway, 'clock' | 'redactor'>,
): RequestRow {
  const { caller } = request
  const { requestId, usage, failure, callerLeft, firstContentMs } = ended
  const { target, credential, publicName } = candidate
  const { channel, upstreamModel } = target
  const amount = ended.spent?.amount
  const isCalled = ended.spent !== undefined
  const totalMs = clock.monotonicMs() - ended.startedAtMs
  const client = nameClient(request.headers['user-agent'])
  const planned = { channel: channel.name, upstreamModel, credentialId: credential?.id }
  const error = failure?.code ?? (callerLeft ? 'client_closed_request' : undefined)
  return {
    requestId,
    method: 'GET',
    path: redactor.redact(request.path),
    format: undefined,
    status: SWITCHING_PROTOCOLS,
    error,
    cause: failure?.logCause,
    keyId: caller.keyId,
    keyName: caller.keyName,
    user: caller.user,
    group: caller.group,
    address: request.address,
    client: client === undefined ? undefined : redactor.redact(client),
    isStream: true,
    model: publicName,
    channel: isCalled ? channel.name : undefined,
    upstreamModel: isCalled ? upstreamModel : undefined,
    candidates: [planned],
    attempts: isCalled ? [{ ...planned, ...describeAttempt(ended, amount), totalMs }] : [],
    usage,
    cost: amount?.cost,
    charged: amount?.charged,
    losses: [],
    callerLeft,
    isRecovered: false,
    bytesIn: 0,
    bytesOut: ended.bytesOut,
    firstContentMs,
    receiveMs: 0,
    queueMs: 0,
    totalMs,
    endedAtMs: clock.nowMs(),
  }
}

function describeAttempt(
  { usage, failure, callerLeft, firstContentMs }: EndedResponse,
  amount: Spent['amount'],
): Omit<AttemptRow, 'channel' | 'upstreamModel' | 'credentialId' | 'totalMs'> {
  return {
    lane: 'verbatim',
    outcome: failure?.code ?? (callerLeft ? 'caller-gone' : 'answered'),
    upstreamStatus: SWITCHING_PROTOCOLS,
    cause: failure?.logCause,
    usage,
    cost: amount?.cost,
    charged: amount?.charged,
    waitMs: 0,
    headMs: undefined,
    firstContentMs,
  }
}
