import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { brand } from '../../kit/brand.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { digestOpaqueSecret } from './opaque-secret.ts'
import { isLiveSession, isUseDue, makeSession, SESSION_IDLE_MS, SESSION_LIFE_MS } from './session.ts'
import type { UserId } from './user.ts'

const order = { userId: brand<UserId>('usr_1'), address: '192.0.2.1', userAgent: 'Firefox' }
const make = (clock = createFakeClock(), more = {}) =>
  makeSession({ ...order, ...more }, { clock, random: systemRandom })

describe('a session', () => {
  test('holds the digest of its secret and not the secret', () => {
    const { session, secret } = make()
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
    expect(session.digest).toBe(digestOpaqueSecret(secret))
    expect(JSON.stringify(session)).not.toContain(secret)
    expect(make().secret).not.toBe(secret)
  })

  test('expires after twelve hours without use', () => {
    const clock = createFakeClock()
    const { session } = make(clock)
    clock.advance(SESSION_IDLE_MS - 1)
    expect(isLiveSession(session, clock.nowMs())).toBe(true)
    clock.advance(1)
    expect(isLiveSession(session, clock.nowMs())).toBe(false)
    expect(isLiveSession({ ...session, lastUsedAtMs: clock.nowMs() - 1 }, clock.nowMs())).toBe(true)
  })

  test('expires after thirty days, however much it is used', () => {
    const clock = createFakeClock()
    const { session } = make(clock)
    clock.advance(SESSION_LIFE_MS)
    expect(isLiveSession({ ...session, lastUsedAtMs: clock.nowMs() }, clock.nowMs())).toBe(false)
  })

  test('keeps only the beginning of a long user agent', () => {
    expect(make(createFakeClock(), { userAgent: 'x'.repeat(10_000) }).session.userAgent).toHaveLength(256)
  })
})

test('the last use of a session is written at most once a minute', () => {
  expect(isUseDue(undefined, 0)).toBe(true)
  expect(isUseDue(1_000, 60_999)).toBe(false)
  expect(isUseDue(1_000, 61_000)).toBe(true)
})
