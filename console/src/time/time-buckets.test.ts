import { afterEach, expect, it } from 'vitest'
import { bucketStart, listBuckets } from './time-buckets.ts'

const zone = process.env['TZ']

afterEach(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

it('the hour that a clock shows twice has two buckets, and each time is in its own', () => {
  process.env['TZ'] = 'America/Los_Angeles'
  const first = Date.parse('2026-11-01T01:00:00-07:00')
  const second = Date.parse('2026-11-01T01:00:00-08:00')
  expect(bucketStart(first + 1_800_000, 'hour')).toBe(first)
  expect(bucketStart(second + 1_800_000, 'hour')).toBe(second)
  expect(listBuckets(second + 1_800_000, second + 7_200_000, 'hour')).toEqual([second, second + 3_600_000])
})

it.each(['Asia/Kolkata', 'Pacific/Auckland', 'America/St_Johns'])(
  'an hour of %s begins on its clock',
  (name) => {
    process.env['TZ'] = name
    const start = new Date(bucketStart(Date.parse('2026-11-29T22:17:30Z'), 'hour'))
    expect([start.getMinutes(), start.getSeconds()]).toEqual([0, 0])
  },
)

it.each([
  ['Africa/Cairo', '2026-04-23T12:00:00+02:00'],
  ['America/Santiago', '2026-09-05T12:00:00-04:00'],
])('a day of %s without midnight makes no later day begin at one', (name, since) => {
  process.env['TZ'] = name
  const starts = listBuckets(Date.parse(since), Date.parse(since) + 3 * 86_400_000, 'day')
  expect(starts).toHaveLength(4)
  expect(starts).toEqual(starts.map((start) => bucketStart(start, 'day')))
})
