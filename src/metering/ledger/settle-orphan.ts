import { multiplyPpm, type NanoDollars, PPM } from '../../canonical/money.ts'
import { noUsage, type Usage } from '../../canonical/usage.ts'
import { costOf } from '../../catalog/prices/cost-of.ts'
import type { PriceVersion } from '../../catalog/prices/price.ts'
import { brand } from '../../kit/brand.ts'
import type { CountedSum } from '../budget.ts'
import type { CountedAmount, HeldAmount, LedgerIntent, LedgerRow, UnseenCost } from '../ledger-row.ts'
import type { OpenIntent } from '../ledger-store.ts'

const nothing = brand<NanoDollars>(0)

export interface OrphanTerms {
  /** The price version of the intent; undefined if it is no longer known. */
  readonly price: PriceVersion | undefined
  readonly nowMs: number
}

/**
 * Creates the row of an attempt that a crash interrupted: its input, and its output up to the last checkpoint. A call
 * whose usage is not visible before its end costs everything that was held for it.
 */
export function settleOrphan(open: OpenIntent, { price, nowMs }: OrphanTerms): LedgerRow {
  const { intent } = open
  const { expiresAtMs: _, epoch: __, unseen: ___, held, inputTokens, multiplierPpm, ...subject } = intent
  const unseen = unseenCost(open)
  const outputTokens = unseen === undefined ? open.outputTokens : 0
  const usage: Usage = { ...noUsage, freshInputTokens: inputTokens, outputTokens, isEstimated: true }
  const counted =
    price === undefined ? nothing : costOf(usage, price, { tier: 'standard', atMs: intent.startedAtMs })
  // Where units other than tokens are billed, the input shows that there was a call, and not what it cost.
  const isUncounted = price === undefined || (counted === 0 && inputTokens > 0)
  const cost = unseen?.cost ?? (isUncounted ? maxCost(intent) : counted)
  const uncapped = unseen?.charged ?? multiplyPpm(cost, multiplierPpm)
  const charged = brand<NanoDollars>(Math.min(uncapped, maxCharged(intent) ?? uncapped))
  return {
    ...subject,
    state: 'estimated',
    endedAtMs: nowMs,
    tier: 'standard',
    usage,
    cost,
    charged,
    counted: held.map((each) => countOf(each, { cost, charged })),
    flags: {
      orphaned: true,
      ...(unseen !== undefined && { usageMissing: true }),
      ...(intent.priceVersion === undefined && { unpriced: true }),
    },
  }
}

/** The cost of a call whose usage is not visible; undefined where it is visible, or where the call was not made. */
function unseenCost({ intent: { unseen }, outputTokens }: OpenIntent): UnseenCost | undefined {
  return unseen?.isAhead === true && outputTokens === 0 ? undefined : unseen
}

function countOf(
  { counts, ...held }: HeldAmount,
  sums: Readonly<Record<CountedSum, NanoDollars>>,
): CountedAmount {
  return {
    ...held,
    amount: isBound(held) ? brand<NanoDollars>(Math.min(sums[counts], held.amount)) : sums[counts],
  }
}

/** The cost of an attempt whose cost cannot be counted: the full held amount. */
function maxCost({ held, multiplierPpm }: LedgerIntent): NanoDollars {
  const cost = minHeld(held, 'cost')
  if (cost !== undefined) return cost
  const charged = minHeld(held, 'charged')
  if (charged === undefined || multiplierPpm === 0) return nothing
  return brand<NanoDollars>(Number((BigInt(charged) * BigInt(PPM)) / BigInt(multiplierPpm)))
}

/** Undefined where nothing was held. */
function maxCharged({ held, multiplierPpm }: LedgerIntent): NanoDollars | undefined {
  const charged = minHeld(held, 'charged')
  if (charged !== undefined) return charged
  const cost = minHeld(held, 'cost')
  return cost === undefined ? undefined : multiplyPpm(cost, multiplierPpm)
}

/** Whether an amount is held. A budget that is not exact adds up the cost of attempts, and holds nothing. */
function isBound({ amount }: CountedAmount): boolean {
  return amount > 0
}

function minHeld(held: readonly HeldAmount[], counts: CountedSum): NanoDollars | undefined {
  const amounts = held.filter((each) => each.counts === counts && isBound(each)).map(({ amount }) => amount)
  return amounts.length === 0 ? undefined : brand<NanoDollars>(Math.min(...amounts))
}
