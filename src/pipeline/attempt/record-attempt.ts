import type { Failure } from '../../canonical/failure.ts'
import { addUsage, type Usage } from '../../canonical/usage.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { AttemptRow } from '../../telemetry/observer.ts'
import type { Redactor } from '../../telemetry/redact.ts'
import type { ExchangeRecord } from '../exchange/exchange-record.ts'
import type { AttemptOutcome } from './attempt-outcome.ts'
import { redactFailure } from './redact-failure.ts'

export interface EndedAttempt {
  readonly candidate: Candidate
  readonly lane: AttemptRow['lane']
  readonly outcome: AttemptOutcome
  /** Of `Clock.monotonicMs`. */
  readonly endedAtMs: number
  /** What it costs; undefined where nothing is known, or it is counted elsewhere. */
  readonly usage?: Usage | undefined
}

/** Adds an attempt to what the log is told. Gives its outcome without the secrets that a failure may name (law 12). */
export function recordAttempt(
  record: Pick<ExchangeRecord, 'attempts' | 'accountedAtMs' | 'usage'>,
  { candidate, lane, outcome, endedAtMs, usage }: EndedAttempt,
  redactor: Redactor,
): AttemptOutcome {
  const { channel, upstreamModel } = candidate.target
  const failure = outcome.failure && redactFailure(outcome.failure, redactor)
  const waitMs = Math.max(0, endedAtMs - outcome.totalMs - record.accountedAtMs)
  record.accountedAtMs = endedAtMs
  if (usage !== undefined) record.usage = record.usage === undefined ? usage : addUsage(record.usage, usage)
  record.attempts.push({
    channel: channel.name,
    credentialId: candidate.credential?.id,
    upstreamModel,
    lane,
    outcome: failure?.code ?? outcome.type,
    upstreamStatus: outcome.upstreamStatus,
    cause: causeOf(outcome, failure, redactor),
    usage,
    waitMs,
    headMs: outcome.headMs,
    firstContentMs: outcome.firstContentMs,
    totalMs: outcome.totalMs,
  })
  return failure === undefined ? outcome : { ...outcome, failure }
}

function causeOf(
  outcome: AttemptOutcome,
  failure: Failure | undefined,
  redactor: Redactor,
): string | undefined {
  if (outcome.cause !== undefined) return redactor.redact(outcome.cause)
  return failure?.upstream?.message ?? failure?.logCause ?? failure?.message
}
