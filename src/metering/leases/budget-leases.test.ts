import { expect, it } from 'vitest'
import { createLeaseFigures, LeaseHistory } from '../../../test/support/lease-history.ts'

it('processes that share budgets never overshoot them, whatever messages are lost and whatever processes stall or die', async () => {
  const figures = createLeaseFigures()
  for (let seed = 1; seed <= 40; seed += 1) await new LeaseHistory(seed, { figures }).run(120)
  expect(figures.held).toBeGreaterThan(1_000)
  expect(figures.refused).toBeGreaterThan(200)
  expect(Math.min(figures.settled, figures.late, figures.ended, figures.lostAnswers)).toBeGreaterThan(50)
})
