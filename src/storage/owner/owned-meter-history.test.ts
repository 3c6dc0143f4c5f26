import { expect, it, onTestFinished } from 'vitest'
import { createLeaseFigures, LeaseHistory } from '../../../test/support/lease-history.ts'
import { shareByStores } from '../../../test/support/shared-budgets.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import { OwnedMeter } from './owned-meter.ts'

it('two workers that share budgets in a file never overshoot them, whatever messages are lost and whatever stalls or dies', async () => {
  const figures = createLeaseFigures()
  for (let seed = 1; seed <= 10; seed += 1) {
    const file = await openLedger({ dataFolder: makeTemporaryFolder(), onDiskFault: () => undefined })
    onTestFinished(() => file.close())
    const history = new LeaseHistory(seed, {
      figures,
      processes: 2,
      share: (clock) => {
        const meter = new OwnedMeter({ file, clock, earlierOrphansAfterMs: 0 })
        return shareByStores({
          meter,
          nodes: meter.nodes,
          commit: (epoch, batch) => meter.commit(batch, { epoch, process: `${epoch}` }),
        })
      },
    })
    await history.run(120)
  }
  expect(figures.held).toBeGreaterThan(300)
  expect(figures.refused).toBeGreaterThan(50)
  expect(Math.min(figures.settled, figures.late, figures.ended, figures.lostAnswers)).toBeGreaterThan(10)
})
