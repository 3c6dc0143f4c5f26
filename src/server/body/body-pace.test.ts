import { describe, expect, it } from 'vitest'
import { BodyPace } from './read-body.ts'

/** The time at which a body is given up, looked at each second; undefined where it never is within the time. */
function givenUpAt(bytesAt: (second: number) => number, seconds = 600): number | undefined {
  const pace = new BodyPace(5_000)
  for (let second = 1; second <= seconds; second += 1) {
    if (!pace.keepsUp(5_000 + second * 1_000, bytesAt(second))) return second
  }
  return undefined
}

describe('the pace of a body', () => {
  it.each([
    ['nothing ever comes', () => 0, 11],
    ['a byte comes each second', (second: number) => second, 11],
    ['a little less than the least rate comes', (second: number) => second * 1_000, 11],
    ['30 MB come at once and then nothing', () => 31_457_280, 120],
    ['30 MB come at once and then a byte each second', (second: number) => 31_457_280 + second, 120],
    ['it stops after a minute of good speed', (second: number) => Math.min(second, 60) * 100_000, 120],
  ] as const)('is too slow if %s', (_what, bytesAt, second) => {
    expect(givenUpAt(bytesAt)).toBe(second)
  })

  it.each([
    ['the least rate comes', (second: number) => second * 1_024],
    ['a slow link sends 2 KB each second for ten minutes', (second: number) => second * 2_048],
    [
      'it stops for half a minute now and then',
      (second: number) => Math.floor(second / 30) * 90_000 + 30_000,
    ],
    ['nothing comes for 9 s at first', (second: number) => (second < 10 ? 0 : second * 4_096)],
  ] as const)('is fast enough if %s', (_what, bytesAt) => {
    expect(givenUpAt(bytesAt)).toBeUndefined()
  })
})
