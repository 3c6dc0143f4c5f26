import { expect, onTestFinished, test } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { SignInThrottle } from '../../access/people/sign-in-throttle.ts'
import { openDataFolder } from '../../app/open-data-folder.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { beginAttempt, succeedAttempt } from './count-attempts.ts'

const attempt = { name: undefined, address: '192.0.2.1' }
/** The failures of one address that delay nothing. */
const FREE = 20

async function openProcesses() {
  const clock = createFakeClock()
  const keys = await openDataFolder(makeTemporaryFolder(), { clock, random: systemRandom }).openKeys([])
  onTestFinished(() => keys.close())
  const open = () => ({ stores: keys.people, throttle: new SignInThrottle([], clock) })
  return { first: open(), second: open(), stored: () => keys.people.failures.list() }
}

test('an attempt is refused because of failures that another process has counted', async () => {
  const { first, second } = await openProcesses()
  for (let count = 0; count < FREE; count += 1) await beginAttempt(attempt, count % 2 === 0 ? first : second)
  const waiting = beginAttempt(attempt, second)
  await expect(waiting).rejects.toMatchObject({ failure: { code: 'too_many_sign_ins' } })
})

test('an attempt that succeeds in another process removes only its own failure', async () => {
  const { first, second, stored } = await openProcesses()
  for (let count = 0; count < 3; count += 1) await beginAttempt(attempt, first)
  await succeedAttempt(attempt, second)
  expect(await stored()).toMatchObject([{ failures: 2 }])
})

test('several processes allow no more concurrent attempts than one process', async () => {
  const { first, second } = await openProcesses()
  const begun = await Promise.allSettled(
    Array.from({ length: 2 * FREE }, (_, index) => beginAttempt(attempt, index % 2 === 0 ? first : second)),
  )
  expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(FREE)
})
