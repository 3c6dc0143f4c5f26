import { expect, test } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { brand } from '../../kit/brand.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { isOpenLink, type LinkPurpose, makeLink } from './link.ts'
import type { UserId } from './user.ts'

const HOUR_MS = 3_600_000

test.each<[number, LinkPurpose]>([
  [24, { type: 'owner' }],
  [24, { type: 'reset', userId: brand<UserId>('usr_1'), name: 'anna' }],
  [7 * 24, { type: 'invitation', role: 'member', groups: [], name: undefined }],
])('a link expires after %d hours: %j', (hours, purpose) => {
  const clock = createFakeClock()
  const { link, secret } = makeLink({ purpose, createdBy: 'anna' }, { clock, random: systemRandom })
  expect(JSON.stringify(link)).not.toContain(secret)
  clock.advance(hours * HOUR_MS - 1)
  expect(isOpenLink(link, clock.nowMs())).toBe(true)
  clock.advance(1)
  expect(isOpenLink(link, clock.nowMs())).toBe(false)
})
