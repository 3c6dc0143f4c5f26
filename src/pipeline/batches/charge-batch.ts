import { GatewayError } from '../../canonical/failure.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import type { PriceVersion } from '../../catalog/prices/price.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
import { brand } from '../../kit/brand.ts'
import { createLedgerRowId } from '../../kit/random/ids.ts'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import { isLimiting } from '../../metering/budget.ts'
import { isLedgerAway } from '../../metering/is-ledger-away.ts'
import type { LedgerSubject } from '../../metering/ledger-row.ts'
import type { AppliedBudget, WorstCase } from '../../metering/meter.ts'
import type { BatchInputFacts } from '../../stored-answers/remote-object.ts'
import type { FoundOwner } from '../retrieval/owner-lane.ts'
import { AttemptCharge } from '../spending/attempt-charge.ts'
import { describeHoldRefusal, describeLedgerRefusal } from '../spending/describe-hold-refusal.ts'
import type { ObjectCall } from './object-input.ts'

/** The provider's answer to the creation comes within this time, or the charge stands as it was held. */
const INTENT_LIFE_MS = 2 * HOUR_MS

/**
 * Holds the most that all lines of a batch can cost, and writes the intent where a budget is exact. The row is written
 * as an estimate of that amount when the provider takes the batch, and corrected when the batch is over. Rejects with
 * `GatewayError`.
 */
export async function openBatchCharge(
  call: ObjectCall,
  { candidate }: FoundOwner,
  facts: BatchInputFacts,
): Promise<AttemptCharge> {
  const { request, spending, clock } = call
  const { caller } = request
  const { target, publicName } = candidate
  const channel = target.channel.name
  const startedAtMs = clock.nowMs()
  const price = target.prices && priceAt(target.prices, startedAtMs)
  const tags = caller.tags
  const budgets = spending.findBudgets({ caller, tags, model: publicName, channel })
  const isLimited = budgets.some(({ budget }) => isLimiting(budget))
  if (price === undefined && (isLimited || spending.refusesUnpriced))
    throw new GatewayError('model_unpriced', { param: 'model' })
  if (price !== undefined && facts.worst?.priceVersion !== price.id) throw priceChanged()
  const needsIntent = spending.isStrict || budgets.some(({ budget }) => budget.mode === 'exact')
  const refusal = spending.findLedgerRefusal({ needsIntent, isLimited })
  if (refusal !== undefined) throw refusedBy(describeLedgerRefusal(refusal))
  const subject: LedgerSubject = {
    id: createLedgerRowId(startedAtMs),
    requestId: request.requestId,
    attempt: 1,
    keyId: caller.keyId,
    keyName: caller.keyName,
    userId: caller.user,
    group: caller.group,
    tags,
    model: publicName,
    channel,
    upstreamModel: target.upstreamModel,
    priceVersion: price?.id,
    startedAtMs,
  }
  return hold(call, { subject, price, budgets, needsIntent, facts })
}

interface BatchHold {
  readonly subject: LedgerSubject
  readonly price: PriceVersion | undefined
  readonly budgets: readonly AppliedBudget[]
  readonly needsIntent: boolean
  readonly facts: BatchInputFacts
}

async function hold(
  { request, spending, clock }: ObjectCall,
  { subject, price, budgets, needsIntent, facts }: BatchHold,
): Promise<AttemptCharge> {
  const { multiplierPpm } = request.caller
  const worst: WorstCase = {
    fixed: facts.worst?.cost ?? nothing,
    outputRate: nothing,
    maxOutputTokens: 0,
    minOutput: 0,
    canClamp: false,
    multiplierPpm,
  }
  const isHeld = budgets.length > 0 && price !== undefined
  const held = isHeld ? await spending.hold({ budgets, worst }) : undefined
  if (held?.type === 'leases-away') throw refusedBy(describeLedgerRefusal('store-away'))
  if (held?.type === 'refused') throw refusedBy(describeHoldRefusal(held))
  const charge = new AttemptCharge({
    subject,
    price,
    hold: held?.hold,
    multiplierPpm,
    isClamped: false,
    isBackground: true,
    ledger: spending.ledger,
    clock,
  })
  if (!needsIntent) return charge
  try {
    await spending.ledger.intend({
      ...subject,
      expiresAtMs: subject.startedAtMs + INTENT_LIFE_MS,
      held: held?.hold.amounts ?? [],
      inputTokens: 0,
      multiplierPpm,
      ...(held?.epoch !== undefined && { epoch: held.epoch }),
    })
    return charge
  } catch (error) {
    charge[Symbol.dispose]()
    throw isLedgerAway(error) ? refusedBy(describeLedgerRefusal('store-away')) : error
  }
}

const nothing = brand<NanoDollars>(0)

function refusedBy({ code, ...more }: ReturnType<typeof describeLedgerRefusal>): GatewayError {
  return new GatewayError(code, more)
}

function priceChanged(): GatewayError {
  return new GatewayError('invalid_field', {
    param: 'input_file_id',
    message:
      'The price of the model has changed since the file was uploaded, so that its worst case is not known any more. Upload the file again.',
  })
}
