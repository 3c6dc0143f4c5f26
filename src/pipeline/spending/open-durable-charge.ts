import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import type { PriceVersion } from '../../catalog/prices/price.ts'
import { brand } from '../../kit/brand.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { worstAmounts } from '../../metering/budgets/worst-cost.ts'
import { isLedgerAway } from '../../metering/is-ledger-away.ts'
import type { LedgerIntent, LedgerSubject } from '../../metering/ledger-row.ts'
import type { AppliedBudget, Hold, WorstCase } from '../../metering/meter.ts'
import { AttemptCharge } from './attempt-charge.ts'
import { type ChargedCall, describeSubject } from './charged-call.ts'
import { describeHoldRefusal, describeLedgerRefusal } from './describe-hold-refusal.ts'
import { describeIntent, describeUnseen } from './describe-intent.ts'
import type { Spending } from './spending.ts'

/** A call outside of the attempts of an operation, with its price and its worst case. */
export interface DurableCall extends ChargedCall {
  /** Undefined where the price is unknown. */
  readonly price: PriceVersion | undefined
  /** The error code if a limit applies and no price is known. */
  readonly unpriced: 'model_unpriced' | 'passthrough_unpriced'
  /** Calculates the worst case. Called where a budget applies. */
  readonly worst: (price: PriceVersion) => WorstCase
  /** Whether a call that states no usage is charged everything that was held for it. */
  readonly chargesUnseen: boolean
  /** Whether such a call is charged its worst case even where no budget holds it. */
  readonly chargesUnheld?: boolean
  /** Whether the call is not made yet. Then `follow` of its charge says that it was made. */
  readonly isAhead?: boolean
}

export interface DurableChargeDependencies {
  readonly spending: Spending
  readonly clock: Pick<Clock, 'nowMs'>
}

/**
 * Holds the maximum cost of a call outside of the attempts of an operation, such as a batch or a realtime response.
 * Holds it in every budget that applies, or in none. Where a budget is exact, it waits until the intent is durable.
 */
export async function openDurableCharge(
  call: DurableCall,
  dependencies: DurableChargeDependencies,
): Promise<AttemptCharge | Failure> {
  const { spending, clock } = dependencies
  const { price } = call
  const budgets = spending.findBudgets(call)
  const needsIntent = spending.needsIntent(budgets)
  const refusal = spending.findRefusal({ budgets, price, needsIntent })
  if (refusal === 'unpriced') return createFailure(call.unpriced)
  if (refusal !== undefined) return describeLedgerRefusal(refusal)
  const subject = describeSubject(call, price, clock.nowMs())
  return hold(call, { subject, budgets, needsIntent }, dependencies)
}

interface HoldTerms {
  readonly subject: LedgerSubject
  readonly budgets: readonly AppliedBudget[]
  readonly needsIntent: boolean
}

async function hold(
  { caller, price, worst, chargesUnseen, chargesUnheld = false, isAhead = false }: DurableCall,
  { subject, budgets, needsIntent }: HoldTerms,
  { spending, clock }: DurableChargeDependencies,
): Promise<AttemptCharge | Failure> {
  const isHeld = budgets.length > 0 && price !== undefined
  const held = isHeld ? await spending.hold({ budgets, worst: worst(price) }) : undefined
  if (held?.type === 'leases-away') return describeLedgerRefusal('store-away')
  if (held?.type === 'refused') return describeHoldRefusal(held)
  const { multiplierPpm } = caller
  const charge = new AttemptCharge({
    subject,
    price,
    held,
    unheld:
      chargesUnheld && held === undefined && price !== undefined ? unheldAmounts(worst(price)) : undefined,
    multiplierPpm,
    isBackground: chargesUnseen,
    ledger: spending.ledger,
    clock,
  })
  if (!needsIntent) return charge
  // The call makes no checkpoint of its own, but one at each new owner of the store.
  charge.follow(() => 0)
  const unseen = describeUnseen(held, isAhead)
  const intent = describeIntent(subject, held, { inputTokens: 0, multiplierPpm, unseen })
  return (await writeIntent(intent, charge, spending)) ?? charge
}

function unheldAmounts(worst: WorstCase): Hold['worst'] {
  return worstAmounts(worst, worst.maxOutputTokens ?? 0)
}

/** Writes the intent. If it cannot be written, the charge releases what it holds. */
async function writeIntent(
  intent: LedgerIntent,
  charge: AttemptCharge,
  { ledger }: DurableChargeDependencies['spending'],
): Promise<Failure | undefined> {
  try {
    const durable = ledger.intend(intent)
    // The intent is hurried because the call waits only for it.
    ledger.hurry(intent.id)
    await durable
    return undefined
  } catch (error) {
    charge[Symbol.dispose]()
    if (isLedgerAway(error)) return describeLedgerRefusal('store-away')
    throw error
  }
}

/** The worst case of a call whose cost does not depend on an output cap. */
export function fixedCost(fixed: NanoDollars, multiplierPpm: number): WorstCase {
  return {
    fixed,
    outputRate: brand<NanoDollars>(0),
    maxOutputTokens: 0,
    minOutput: 0,
    canClamp: false,
    multiplierPpm,
  }
}
