import type { Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import { addAmounts } from '../../canonical/money.ts'
import { addUsage, type Usage } from '../../canonical/usage.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { AttemptRow } from '../../telemetry/observer.ts'
import type { Redactor } from '../../telemetry/redact.ts'
import type { SpentAmount } from '../exchange/answer-cost.ts'
import type { TimeAccount } from '../exchange/time-account.ts'
import { type AttemptOutcome, firstContentOf, statusOf } from './attempt-outcome.ts'
import { redactFailure } from './redact-failure.ts'

export interface EndedAttempt {
  readonly candidate: Candidate
  readonly lane: AttemptRow['lane']
  readonly outcome: AttemptOutcome
  /** The time of the end, by `Clock.monotonicMs`. */
  readonly endedAtMs: number
  /** The usage that the call is charged for; undefined where it is unknown or recorded elsewhere. */
  readonly usage: Usage | undefined
  /** Undefined where the model has no price, or where nothing in the call is billed. */
  readonly spent: SpentAmount | undefined
}

/** The origin of the answer that the caller saw. */
export type AnswerOrigin =
  | { readonly type: 'nothing' }
  /** The gateway answered by itself, without a channel. */
  | { readonly type: 'gateway'; readonly usage: Usage | undefined; readonly losses: readonly Loss[] }
  | TargetAnswer

export interface TargetAnswer {
  readonly type: 'target'
  readonly target: Target
  readonly losses: readonly Loss[]
  /** Whether a stream broke off and this answer completed it. */
  readonly isRecovered: boolean
}

const nothing: AnswerOrigin = { type: 'nothing' }

/** The attempts of one request in order, their totals, and the attempt that answered. */
export class AttemptLog {
  readonly #times: TimeAccount
  readonly #rows: AttemptRow[] = []
  #usage: Usage | undefined
  #spent: SpentAmount | undefined
  #answer: AnswerOrigin = nothing
  #firstContentMs: number | undefined

  constructor(times: TimeAccount) {
    this.#times = times
  }

  get rows(): readonly AttemptRow[] {
    return this.#rows
  }

  /** The number of the next attempt, from 1. */
  get nextNumber(): number {
    return this.#rows.length + 1
  }

  /** The total usage of all attempts, or the usage of an answer that the gateway made itself. */
  get usage(): Usage | undefined {
    return this.#answer.type === 'gateway' ? this.#answer.usage : this.#usage
  }

  /** The total cost of all attempts; undefined where none of them has a price. */
  get spent(): SpentAmount | undefined {
    return this.#spent
  }

  get answer(): AnswerOrigin {
    return this.#answer
  }

  /** The time from the request's head to the first content for the caller. */
  get firstContentMs(): number | undefined {
    return this.#firstContentMs
  }

  /** Adds an attempt that has ended. Returns its outcome without the secrets that a failure may contain. */
  add(
    { candidate, lane, outcome, endedAtMs, usage, spent }: EndedAttempt,
    redactor: Redactor,
  ): AttemptOutcome {
    const { channel, upstreamModel } = candidate.target
    const failure = outcome.type === 'failed' ? redactFailure(outcome.failure, redactor) : undefined
    if (usage !== undefined) this.#usage = this.#usage === undefined ? usage : addUsage(this.#usage, usage)
    if (spent !== undefined) this.#spent = addSpent(this.#spent, spent)
    this.#rows.push({
      channel: channel.name,
      credentialId: candidate.credential?.id,
      upstreamModel,
      lane,
      outcome: failure?.code ?? outcome.type,
      upstreamStatus: statusOf(outcome),
      cause: causeOf(outcome, failure, redactor),
      usage,
      cost: spent?.cost,
      charged: spent?.charged,
      waitMs: this.#times.endAttempt(endedAtMs, outcome.totalMs),
      headMs: outcome.reached.at === 'nothing' ? undefined : outcome.reached.headMs,
      firstContentMs: firstContentOf(outcome),
      totalMs: outcome.totalMs,
    })
    return outcome.type === 'failed' && failure !== undefined ? { ...outcome, failure } : outcome
  }

  /** Records the origin of the answer that the caller has, or has seen a part of. */
  answeredBy(answer: Exclude<AnswerOrigin, { readonly type: 'nothing' }>): void {
    this.#answer = answer
  }

  /** Records when the caller saw the first content of an answer. A later attempt does not change the time. */
  sawContent(atMs: number): void {
    this.#firstContentMs ??= atMs - this.#times.startedAtMs
  }
}

function addSpent(before: SpentAmount | undefined, { cost, charged }: SpentAmount): SpentAmount {
  return { cost: addAmounts(before?.cost, cost), charged: addAmounts(before?.charged, charged) }
}

function causeOf(
  outcome: AttemptOutcome,
  failure: Failure | undefined,
  redactor: Redactor,
): string | undefined {
  if (outcome.type === 'failed' && outcome.cause !== undefined) return redactor.redact(outcome.cause)
  return failure?.upstream?.message ?? failure?.logCause ?? failure?.message
}
