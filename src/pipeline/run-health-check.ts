import type { Credential } from '../catalog/channel.ts'
import { type CheckFact, ModelListError } from '../catalog/list-fault.ts'
import { reasonOf } from '../kit/errors/reason-of.ts'
import { MINUTE_MS } from '../kit/time/time-units.ts'
import type { Candidate } from '../routing/candidate.ts'
import type { PlannedCheck } from '../routing/health/plan-check.ts'
import { notDurable } from './attempt/attempt-input.ts'
import { type AttemptEnding, mayRetryOnNewConnection } from './attempt/attempt-outcome.ts'
import { buildUpstreamRequest } from './attempt/build-upstream-request.ts'
import { runAttempt } from './attempt/run-attempt.ts'
import type { Gateway } from './gateway.ts'
import { openCheckLane } from './lane/open-check-lane.ts'
import type { CallerConnection, CallerListeners } from './response/caller-connection.ts'
import { discardingWriter } from './response/discarding-writer.ts'

export type CheckDependencies = Pick<
  Gateway,
  'providers' | 'upstream' | 'redactor' | 'answerBudget' | 'answerTurns' | 'clock' | 'watch' | 'userAgent'
> & {
  readonly formats: Partial<Gateway['formats']>
  fetchList(
    channel: Candidate['target']['channel'],
    signal: AbortSignal,
    credential: Credential | undefined,
  ): Promise<readonly string[]>
}

/** The reason why a check failed. */
export interface CheckFault {
  /** The sentence for operators, without secrets. */
  readonly message: string
  /** The same for programs. */
  readonly fact: CheckFact | undefined
}

const ANSWER_LIMIT_MS = 10_000

/**
 * Carries out one check. Returns why it failed, or undefined if the check passed. The signal ends the check.
 */
export async function runHealthCheck(
  check: PlannedCheck,
  { candidate, gateway }: { readonly candidate: Candidate; readonly gateway: CheckDependencies },
  signal: AbortSignal,
): Promise<CheckFault | undefined> {
  try {
    return check.type === 'list'
      ? await checkModelList(candidate, gateway, signal)
      : await checkOneToken(candidate, gateway, signal)
  } catch (error) {
    const fact = error instanceof ModelListError ? error.fact : undefined
    return { message: gateway.redactor.redact(reasonOf(error)), fact }
  }
}

async function checkModelList(
  { target, credential }: Candidate,
  { fetchList, clock }: CheckDependencies,
  signal: AbortSignal,
): Promise<undefined> {
  const late = new AbortController()
  const timer = clock.startTimer(ANSWER_LIMIT_MS, () => late.abort())
  try {
    await fetchList(target.channel, AbortSignal.any([signal, late.signal]), credential)
  } finally {
    timer.cancel()
  }
}

/** The time limit of a check, so that the next check can run. */
const MAX_CHECK_MS = MINUTE_MS

async function checkOneToken(
  candidate: Candidate,
  gateway: CheckDependencies,
  signal: AbortSignal,
): Promise<CheckFault | undefined> {
  const { target } = candidate
  const provider = gateway.providers.find(target.channel.provider)
  const format = gateway.formats[target.channel.format]
  if (provider === undefined || format === undefined)
    return { message: 'the provider or its format is unknown', fact: undefined }
  const lane = openCheckLane({ target, provider, format })
  const isStream = false
  const { clock, upstream, redactor, answerBudget, answerTurns, watch, userAgent } = gateway
  using callerConnection = new CheckConnection(signal)
  const call = (onNewConnection: boolean) =>
    runAttempt({
      lane,
      clock,
      upstream,
      redactor,
      answerBudget,
      answerTurns,
      watch,
      writer: discardingWriter,
      request: buildUpstreamRequest({ lane, candidate, provider, isStream, userAgent, onNewConnection }),
      timeouts: target.channel.timeouts,
      durability: notDurable,
      isStream,
      answerHeaders: {},
      callerConnection,
      deadlineAtMs: clock.monotonicMs() + (target.channel.timeouts.firstContentMs ?? MAX_CHECK_MS),
    })
  const first = await call(false)
  const outcome = mayRetryOnNewConnection(first, discardingWriter) ? await call(true) : first
  switch (outcome.type) {
    case 'answered':
      return undefined
    case 'failed':
      return describeFailure(outcome, redactor)
    case 'caller-gone':
      return { message: '', fact: undefined }
  }
}

function describeFailure(
  { cause, failure: { code, upstream, message } }: Extract<AttemptEnding, { readonly type: 'failed' }>,
  redactor: CheckDependencies['redactor'],
): CheckFault {
  return {
    message: redactor.redact(cause ?? upstream?.message ?? message),
    fact: { code: 'failed', values: { error: code } },
  }
}

/** The connection of a check, which has no caller. Its signal, which ends all checks, ends this one, too. */
class CheckConnection implements CallerConnection, Disposable {
  readonly isGone = false
  readonly #signal: AbortSignal
  #onStop: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  listen(listeners: CallerListeners): void {
    this.#leave()
    if (this.#signal.aborted) {
      listeners.onStop()
      return
    }
    const onStop = () => listeners.onStop()
    this.#onStop = onStop
    this.#signal.addEventListener('abort', onStop)
  }

  [Symbol.dispose](): void {
    this.#leave()
  }

  #leave(): void {
    if (this.#onStop !== undefined) this.#signal.removeEventListener('abort', this.#onStop)
  }
}
