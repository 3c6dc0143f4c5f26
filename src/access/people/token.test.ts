import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { digestOpaqueSecret } from './opaque-secret.ts'
import { isLiveToken, isWholeToken, makeToken } from './token.ts'

const clock = createFakeClock()

function make(expiresAtMs?: number) {
  const owner = { type: 'service', role: 'viewer' } as const
  const order = { name: 'reports', owner, scopes: [], expiresAtMs, createdBy: 'anna' }
  return makeToken(order, { clock, random: systemRandom })
}

describe('a token', () => {
  test('begins with hgt_ and stores the digest of its secret instead of the secret', () => {
    const { token, secret } = make()
    expect(secret).toMatch(/^hgt_[\w-]{49}$/)
    expect(token.digest).toBe(digestOpaqueSecret(secret))
    expect(secret.startsWith(token.hint)).toBe(true)
    expect(JSON.stringify(token)).not.toContain(secret)
  })

  test('that is mistyped or cut off fails its checksum', () => {
    const { secret } = make()
    expect(isWholeToken(secret)).toBe(true)
    expect(isWholeToken(secret.slice(0, -1))).toBe(false)
    const other = secret.at(10) === 'x' ? 'y' : 'x'
    expect(isWholeToken(secret.slice(0, 10) + other + secret.slice(11))).toBe(false)
    expect(isWholeToken(secret.replace('hgt_', 'hgs_'))).toBe(false)
  })

  test('expires at its set time, or never', () => {
    const nowMs = clock.nowMs()
    expect(isLiveToken(make(nowMs + 1).token, nowMs)).toBe(true)
    expect(isLiveToken(make(nowMs).token, nowMs)).toBe(false)
    expect(isLiveToken(make().token, nowMs)).toBe(true)
  })
})
