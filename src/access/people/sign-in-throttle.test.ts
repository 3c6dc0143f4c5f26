import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { type SignInAttempt, SignInThrottle } from './sign-in-throttle.ts'

function open() {
  const clock = createFakeClock()
  const throttle = new SignInThrottle([], clock)
  /** The seconds to wait; 0 where the attempt may go on. */
  const attempt = (one: SignInAttempt): number => {
    try {
      throttle.begin(one)
      return 0
    } catch (error) {
      if (error instanceof GatewayError && error.failure.code === 'too_many_sign_ins')
        return error.failure.retryAfterSeconds ?? -1
      throw error
    }
  }
  const times = (count: number, make: (index: number) => SignInAttempt) =>
    Array.from({ length: count }, (_, index) => attempt(make(index)))
  return { clock, throttle, attempt, times }
}

const anna = (index: number) => ({ name: 'anna', address: `192.0.2.${index}` })
const from = (address: string) => (index: number) => ({ name: `name-${index}`, address })

describe('password guesses for one name', () => {
  test('are delayed from the sixth on, whatever address they come from', () => {
    const { times } = open()
    expect(times(7, anna)).toEqual([0, 0, 0, 0, 0, 1, 1])
  })

  test('are delayed twice as long each time, up to a quarter of an hour', () => {
    const { clock, attempt, times } = open()
    times(5, anna)
    const waits: number[] = []
    for (let index = 10; index < 23; index += 1) {
      const wait = attempt(anna(index))
      waits.push(wait)
      clock.advance(wait * 1_000)
      expect(attempt(anna(index))).toBe(0)
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900])
  })

  test('are counted together whatever the letter case of the name', () => {
    const { times, attempt } = open()
    times(5, anna)
    expect(attempt({ name: 'ANNA', address: '198.51.100.1' })).toBe(1)
    expect(attempt({ name: 'bert', address: '198.51.100.1' })).toBe(0)
  })

  test('are forgotten once one succeeds, or after a day', () => {
    const { clock, throttle, times } = open()
    times(5, anna)
    throttle.succeed(anna(0))
    expect(times(6, anna)).toEqual([0, 0, 0, 0, 0, 1])
    clock.advance(24 * 3_600_000)
    expect(times(6, anna)).toEqual([0, 0, 0, 0, 0, 1])
  })
})

describe('password guesses from one address', () => {
  test('are delayed from the twenty-first on, whatever name they are for', () => {
    const { times } = open()
    expect(times(21, from('192.0.2.1')).lastIndexOf(0)).toBe(19)
  })

  test('are counted together if they share the first 64 bits of an IPv6 address', () => {
    const { times, attempt } = open()
    times(10, from('2001:db8::1'))
    times(10, from('2001:0db8:0:0:1:2:3:4'.replace('0db8', 'db8')))
    expect(attempt({ name: 'x', address: '2001:db8::ffff' })).toBe(1)
    expect(attempt({ name: 'x', address: '2001:db8:0:1::1' })).toBe(0)
  })

  test('are counted for that address alone if a listener for IPv6 and IPv4 shows it in its mapped form', () => {
    const { times, attempt } = open()
    times(20, from('::ffff:192.0.2.1'))
    expect(attempt({ name: 'x', address: '::ffff:192.0.2.2' })).toBe(0)
    expect(attempt({ name: 'x', address: '192.0.2.1' })).toBe(1)
    expect(attempt({ name: 'y', address: '::FFFF:192.0.2.1' })).toBe(1)
  })

  test('are not forgotten when a guess succeeds for another name', () => {
    const { throttle, times, attempt } = open()
    times(19, from('192.0.2.1'))
    const own = { name: 'mallory', address: '192.0.2.1' }
    expect(attempt(own)).toBe(0)
    throttle.succeed(own)
    expect(times(2, from('192.0.2.1'))).toEqual([0, 1])
  })
})

describe('people who share an address', () => {
  test('never wait for the mistakes of weeks, although they sign in all the time', () => {
    const { clock, throttle, attempt } = open()
    const waits = new Set<number>()
    for (let day = 0; day < 60; day += 1) {
      waits.add(attempt({ name: `mistyped-${day}`, address: '192.0.2.1' }))
      for (let hour = 0; hour < 24; hour += 1) {
        const one = { name: 'anna', address: '192.0.2.1' }
        clock.advance(3_600_000)
        waits.add(attempt(one))
        throttle.succeed(one)
      }
    }
    expect([...waits]).toEqual([0])
  })

  test('are waited for where one guesses more often than failures are forgotten', () => {
    const { clock, attempt, times } = open()
    times(20, from('192.0.2.1'))
    const begun = Array.from({ length: 48 }, (_, index) => {
      clock.advance(1_800_000)
      return times(100, (one) => from('192.0.2.1')(100 * index + one)).filter((wait) => wait === 0).length
    })
    expect(Math.max(...begun)).toBeLessThanOrEqual(1)
    expect(attempt({ name: 'anna', address: '192.0.2.1' })).toBeGreaterThan(0)
  })
})

test('the counted failures survive a restart', () => {
  const { clock, throttle, times } = open()
  times(5, anna)
  const stored = throttle.drainUnsaved()
  expect(throttle.drainUnsaved()).toEqual([])
  const again = new SignInThrottle(stored, clock)
  expect(() => again.begin(anna(99))).toThrow(/^Too many sign-ins/)
})

describe('a clock that is set back', () => {
  const yearMs = 365 * 24 * 3_600_000

  test('delays no attempt of a name and an address that have free ones left', () => {
    const { clock, times, throttle, attempt } = open()
    clock.advance(yearMs)
    times(1, anna)
    const stored = throttle.drainUnsaved()
    clock.advance(-yearMs)
    expect(attempt(anna(0))).toBe(0)
    const again = new SignInThrottle(stored, clock)
    expect(() => again.begin(anna(0))).not.toThrow()
  })

  test('delays no guess for longer than the usual wait, which passes', () => {
    const { clock, times, attempt } = open()
    clock.advance(yearMs)
    times(8, anna)
    clock.advance(-yearMs)
    const wait = attempt(anna(9))
    expect(wait).toBe(1)
    clock.advance(1_000)
    expect(attempt(anna(9))).toBe(0)
    expect(attempt(anna(9))).toBe(2)
  })
})

test('the number of names and addresses in memory is bounded', () => {
  const { throttle, times } = open()
  times(30_000, (index) => ({
    name: `n${index}`,
    address: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
  }))
  const live = throttle.drainUnsaved().filter(({ failures }) => failures > 0)
  expect(live).toHaveLength(20_000)
})
