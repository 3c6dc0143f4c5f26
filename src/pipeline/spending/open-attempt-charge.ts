import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { PriceVersion } from '../../catalog/prices/price.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
import { lazy } from '../../kit/async/lazy.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { LeasesAway } from '../../metering/leases/budget-leases.ts'
import type { LedgerSubject } from '../../metering/ledger-row.ts'
import type { AppliedBudget, HoldResult } from '../../metering/meter.ts'
import type { Candidate } from '../../routing/candidate.ts'
import { type Exchange, isTokenCount } from '../exchange/exchange.ts'
import { AttemptCharge } from './attempt-charge.ts'
import { type ChargedCall, describeSubject } from './charged-call.ts'
import { describeHoldRefusal, describeLedgerRefusal } from './describe-hold-refusal.ts'
import { describeIntent, describeUnseen } from './describe-intent.ts'
import { estimateRequestTokens } from './estimate-tokens.ts'
import { findWorstCase } from './find-worst-case.ts'
import type { Spending } from './spending.ts'

export interface ChargeInput {
  readonly exchange: Exchange
  readonly candidate: Candidate
  /** The number of the attempt, from 1. */
  readonly attempt: number
}

export interface ChargeDependencies {
  readonly spending: Spending
  readonly clock: Clock
}

export type OpenedCharge =
  | {
      readonly type: 'open'
      readonly charge: AttemptCharge
      /**
       * Writes the intent. Fulfilled once an answer may be sent; undefined where it may be sent at once. A second call
       * returns the same promise.
       */
      readonly intend: (() => Promise<void>) | undefined
    }
  | {
      readonly type: 'refused'
      readonly failure: Failure
      /** The public name of another model, which is called instead if the key grants it. */
      readonly fallback: string | undefined
    }

/**
 * Holds the maximum cost of an attempt in every budget that applies, or in none. It may wait for a lease, but not for
 * the intent: the attempt writes its intent while the provider works.
 */
export function openAttemptCharge(
  input: ChargeInput,
  dependencies: ChargeDependencies,
): OpenedCharge | Promise<OpenedCharge> {
  const { exchange, candidate } = input
  const { spending, clock } = dependencies
  const { prices } = candidate.target
  const call = describeCall(input)
  const startedAtMs = clock.nowMs()
  const price = prices === undefined ? undefined : priceAt(prices, startedAtMs)
  // No provider bills a count of tokens, so a spent budget does not refuse it.
  const budgets = isTokenCount(exchange) ? [] : spending.findBudgets(call)
  const needsIntent = spending.needsIntent(budgets)
  const refusal = spending.findRefusal({ budgets, price, needsIntent })
  if (refusal === 'unpriced') return refuseUnpriced(call.model)
  if (refusal !== undefined) return refused(describeLedgerRefusal(refusal))
  const subject = describeSubject(call, price, startedAtMs)
  const isBackground = budgets.length > 0 && exchange.format.isBackground?.(exchange.scanned) === true
  const settings = { input, dependencies, price, isBackground, needsIntent, subject }
  const held = hold(input, { price, budgets, spending })
  return held instanceof Promise
    ? held.then((result) => createCharge(result, settings))
    : createCharge(held, settings)
}

interface ChargeSettings {
  readonly input: ChargeInput
  readonly dependencies: ChargeDependencies
  readonly price: PriceVersion | undefined
  /** Whether the answer is generated after the request has ended. False where no budget applies. */
  readonly isBackground: boolean
  readonly needsIntent: boolean
  readonly subject: LedgerSubject
}

function createCharge(
  held: HoldResult | LeasesAway | undefined,
  {
    input: { exchange },
    dependencies: { spending, clock },
    price,
    isBackground,
    needsIntent,
    subject,
  }: ChargeSettings,
): OpenedCharge {
  const { caller } = exchange.callerRequest
  if (held?.type === 'leases-away') return refused(describeLedgerRefusal('store-away'))
  if (held?.type === 'refused') return refused(describeHoldRefusal(held), held)
  const multiplierPpm = caller.multiplierPpm
  const charge = new AttemptCharge({
    subject,
    price,
    held,
    multiplierPpm,
    ledger: spending.ledger,
    clock,
    isBackground,
  })
  if (!needsIntent) return { type: 'open', charge, intend: undefined }
  const intend = lazy(() => {
    const inputTokens = estimateRequestTokens(exchange)
    const unseen = isBackground ? describeUnseen(held, false) : undefined
    return spending.ledger.intend(describeIntent(subject, held, { inputTokens, multiplierPpm, unseen }))
  })
  return { type: 'open', charge, intend }
}

function describeCall({ exchange, candidate: { target, publicName }, attempt }: ChargeInput): ChargedCall {
  const { requestId, caller } = exchange.callerRequest
  return {
    caller,
    requestId,
    attempt,
    tags: exchange.tags,
    model: publicName,
    channel: target.channel.name,
    upstreamModel: target.upstreamModel,
  }
}

interface HoldInput {
  readonly price: PriceVersion | undefined
  readonly budgets: readonly AppliedBudget[]
  readonly spending: Pick<Spending, 'hold'>
}

/** Undefined where no budget applies. */
function hold(
  { exchange, candidate: { target } }: ChargeInput,
  { price, budgets, spending }: HoldInput,
): ReturnType<Spending['hold']> | undefined {
  if (budgets.length === 0 || price === undefined) return undefined
  const { multiplierPpm } = exchange.callerRequest.caller
  const worst = findWorstCase({ exchange, target, price, budgets, multiplierPpm })
  return spending.hold({ budgets, worst })
}

function refuseUnpriced(publicName: string): OpenedCharge {
  const message = `The model ${JSON.stringify(publicName)} has no price here, and this key has a limit in money. The operator can give it a price under models in the configuration.`
  return refused(createFailure('model_unpriced', { param: 'model', message }))
}

function refused(failure: Failure, held?: Extract<HoldResult, { type: 'refused' }>): OpenedCharge {
  const atLimit = held?.budget.atLimit
  return { type: 'refused', failure, fallback: atLimit?.type === 'fallback' ? atLimit.model : undefined }
}
