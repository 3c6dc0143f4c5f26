import { addAmounts, type NanoDollars } from '../../canonical/money.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { CallChannel, ChannelCallContext } from './call-channel.ts'
import type { CheckResult, Evidence } from './certification-store.ts'
import { type Check, type CheckContext, notTried } from './checks/check.ts'
import { describeReceived, describeSent, readReceivedAnswer, readSentCall } from './describe-call.ts'

export interface CheckParts {
  readonly call: CallChannel
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Removes the secrets of channels from a text. */
  readonly redact: (text: string) => string
}

export interface RunCheck extends ChannelCallContext {
  readonly check: Check
  readonly context: CheckContext
}

export interface EndedCheck {
  readonly result: CheckResult
  readonly cost: NanoDollars | undefined
}

/** Carries out one check: makes the calls that it asks for, one after the other. */
export async function runCheck(
  { check, context, ...callContext }: RunCheck,
  parts: CheckParts,
): Promise<EndedCheck> {
  const { call, clock, redact } = parts
  const startedAtMs = clock.monotonicMs()
  const evidence: Evidence[] = []
  let cost: NanoDollars | undefined
  const run = check.run(context)
  let step = run.next()
  while (step.done !== true && !callContext.signal.aborted) {
    const observed = await call(step.value, callContext)
    if (observed.cost !== undefined) cost = addAmounts(cost, observed.cost)
    const [sentFact, receivedFact] = [readSentCall(step.value), readReceivedAnswer(observed, redact)]
    const [sent, received] = [describeSent(sentFact), describeReceived(receivedFact)]
    evidence.push({ requestId: observed.requestId, sent, received, sentFact, receivedFact })
    step = run.next(observed)
  }
  const verdict = step.done === true ? step.value : notTried('cancelled')
  const details = Object.fromEntries(
    Object.entries(verdict.details).map(([name, value]) => [name, shortenDetail(value, redact)]),
  )
  const durationMs = Math.round(clock.monotonicMs() - startedAtMs)
  return { result: { ...verdict, details, check: check.name, evidence, durationMs }, cost }
}

const MAX_DETAIL_CHARACTERS = 300

function shortenDetail(value: string | number, redact: (text: string) => string): string | number {
  return typeof value === 'number' ? value : redact(value).slice(0, MAX_DETAIL_CHARACTERS)
}
