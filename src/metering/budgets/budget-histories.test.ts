import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BudgetHistory, createHistoryFigures } from '../../../test/support/budget-history/budget-history.ts'

it('under any sequence of events no exact budget is overshot, its spending is the sum of its rows, and no hold remains', () => {
  const figures = createHistoryFigures()
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (seed) => new BudgetHistory(seed, figures).run(30)),
    { numRuns: 600 },
  )
  for (const [name, times] of Object.entries(figures)) expect([name, times > 50]).toEqual([name, true])
})
