import type { CountedAmount } from '../../../src/metering/ledger-row.ts'
import type { BudgetCorrection } from '../../../src/metering/meter.ts'
import type { Chance } from '../../long/create-chance.ts'
import { nano } from '../ledger-row.ts'
import { expectThat } from './check-hold.ts'

/** A settled attempt that may turn out to have come to another amount. */
export interface Estimate {
  readonly counted: readonly CountedAmount[]
  /** Whether the budget at each place counts no more than was held. */
  readonly isBound: readonly boolean[]
}

const MOST = 2 ** 31

/** An exact budget never counts more than before, since the hold is over. */
export function chooseDifferences({ counted, isBound }: Estimate, chance: Chance): readonly CountedAmount[] {
  return counted.map((each, index) => {
    const most = isBound[index] ? each.amount : each.amount * 2 + 9
    const amount = chance.upTo(Math.min(most, MOST) + 1) - Math.min(each.amount, MOST)
    return { ...each, amount: nano(amount) }
  })
}

/** An addition is made as asked for; a reduction may be smaller. */
export function checkCorrected({ counted }: BudgetCorrection, asked: readonly CountedAmount[]): void {
  for (const [index, { amount }] of counted.entries()) {
    const most = asked[index]?.amount ?? 0
    expectThat(
      most < 0 ? amount >= most && amount <= 0 : amount === most,
      'a correction counts something else',
    )
  }
}

export function takenBack({ counted }: BudgetCorrection): readonly CountedAmount[] {
  return counted.filter(({ amount }) => amount < 0)
}
