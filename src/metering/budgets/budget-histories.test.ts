import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BudgetHistory, createHistoryFigures } from '../../../test/support/budget-history/budget-history.ts'

it('whatever happens, no exact budget is overshot, what is spent is the sum of its rows, and nothing stays held', () => {
  const figures = createHistoryFigures()
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (seed) => new BudgetHistory(seed, figures).run(30)),
    { numRuns: 600 },
  )
  for (const [name, times] of Object.entries(figures)) expect([name, times > 50]).toEqual([name, true])
})
