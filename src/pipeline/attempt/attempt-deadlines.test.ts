import { describe, expect, it } from 'vitest'
import { defaultTimeouts, type Timeouts } from '../../catalog/channel.ts'
import { type AttemptProgress, findExpired } from './attempt-deadlines.ts'
import { type AttemptTimeouts, lastTimeouts } from './plan-timeouts.ts'

const silent: AttemptProgress = {
  startedAtMs: 0,
  isStream: true,
  hasHead: true,
  errorAtMs: undefined,
  hasBody: false,
  hasContent: false,
  lastByteAtMs: 0,
  lastContentAtMs: 0,
  deadlineAtMs: 600_000,
  isPaused: false,
}

const short: AttemptTimeouts = { firstContentMs: 12_000, idleMs: 60_000 }

/** The time at which a silent attempt ends, to the second, and the bound that ends it. */
function endOf(
  progress: Partial<AttemptProgress>,
  attemptTimeouts: AttemptTimeouts,
  stated: Partial<Timeouts> = {},
): string {
  const timeouts = { ...defaultTimeouts, ...stated }
  for (let nowMs = 0; nowMs <= 3_700_000; nowMs += 1_000) {
    const phase = findExpired(
      { ...silent, ...progress },
      { timeouts, attemptTimeouts: () => attemptTimeouts },
      nowMs,
    )
    if (phase !== undefined) return `${phase} after ${nowMs / 1_000} s`
  }
  return 'never'
}

it('a call whose caller has disconnected ends after 3 s, whether usage arrives or not', () => {
  expect(endOf({ hasContent: true, leftAtMs: 2_000 }, short)).toBe('total after 5 s')
})

describe('a stream that stays silent', () => {
  it('ends as soon as another target can be called', () => {
    expect(endOf({}, short)).toBe('first-content after 12 s')
    expect(endOf({ hasHead: false }, short)).toBe('headers after 12 s')
  })

  it('has the timeouts of a whole answer when no other target is left', () => {
    const last = lastTimeouts(defaultTimeouts)
    expect(endOf({ deadlineAtMs: 900_000 }, last)).toBe('first-content after 600 s')
    expect(endOf({}, last)).toBe('deadline after 600 s')
  })

  it('ends at the timeout that the operator set', () => {
    expect(endOf({}, short, { firstContentMs: 45_000 })).toBe('first-content after 45 s')
    expect(endOf({ hasHead: false }, short, { headersMs: 3_000 })).toBe('headers after 3 s')
    expect(endOf({}, short, { headersMs: 30_000 })).toBe('first-content after 30 s')
    expect(endOf({}, lastTimeouts(defaultTimeouts), { idleMs: 20_000 })).toBe('idle after 20 s')
  })

  it('may pause after content for as long as its model may reason', () => {
    const begun = { hasBody: true, hasContent: true, deadlineAtMs: 0 }
    expect(endOf(begun, short)).toBe('idle after 60 s')
    expect(endOf(begun, { ...short, idleMs: 180_000 })).toBe('idle after 180 s')
  })
})

it('a whole answer has the same long timeouts, whether its status came early or not', () => {
  const whole = { isStream: false, deadlineAtMs: 900_000 }
  expect(endOf(whole, short)).toBe('idle after 600 s')
  expect(endOf({ ...whole, hasHead: false }, short)).toBe('headers after 600 s')
  expect(endOf({ ...whole, hasBody: true }, short)).toBe('idle after 60 s')
})
