import type { Failure } from '../canonical/failure.ts'
import type { Candidate } from '../routing/candidate.ts'
import type { AttemptRow } from '../telemetry/observer.ts'
import type { Redactor } from '../telemetry/redact.ts'
import type { ExchangeTrace } from './exchange-trace.ts'
import { redactFailure } from './redact-failure.ts'
import type { AttemptOutcome } from './run-attempt.ts'

export interface EndedAttempt {
  readonly candidate: Candidate
  readonly lane: AttemptRow['lane']
  readonly outcome: AttemptOutcome
}

/** Adds an attempt to what the log is told. Gives its outcome without the secrets that a failure may name (law 12). */
export function noteAttempt(
  trace: Pick<ExchangeTrace, 'attempts'>,
  { candidate, lane, outcome }: EndedAttempt,
  redactor: Redactor,
): AttemptOutcome {
  const { channel, upstreamModel } = candidate.target
  const failure = outcome.failure && redactFailure(outcome.failure, redactor)
  trace.attempts.push({
    channel: channel.name,
    credentialId: candidate.credential?.id,
    upstreamModel,
    lane,
    outcome: failure?.code ?? outcome.type,
    upstreamStatus: outcome.upstreamStatus,
    cause: causeOf(outcome, failure, redactor),
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
  return failure?.upstream?.message ?? failure?.message
}
