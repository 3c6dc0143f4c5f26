import { describe, expect, test } from 'vitest'
import { systemRandom } from '../../kit/random/random.ts'
import {
  digestRecoveryCode,
  findTotpStep,
  makeRecoveryCodes,
  makeTotpSecret,
  totpStepAt,
  writeBase32,
  writeTotpCode,
  writeTotpUri,
} from './totp.ts'

/** RFC 6238, appendix B, of SHA-1. */
const secret = Buffer.from('12345678901234567890')

describe('a code from an authenticator app', () => {
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at second %d matches RFC 6238', (seconds, code) => {
    expect(writeTotpCode(secret, totpStepAt(seconds * 1_000), 8)).toBe(code)
  })

  const nowMs = 1_111_111_109_000
  const step = totpStepAt(nowMs)

  test('is valid in its own half minute and in the adjacent ones', () => {
    const check = (offset: number) =>
      findTotpStep({ secret, code: writeTotpCode(secret, step + offset), nowMs, lastStep: 0 })
    expect([-2, -1, 0, 1, 2].map(check)).toEqual([undefined, step - 1, step, step + 1, undefined])
  })

  test('is valid once: after use, neither this code nor an earlier one is accepted', () => {
    const check = (offset: number) =>
      findTotpStep({ secret, code: writeTotpCode(secret, step + offset), nowMs, lastStep: step })
    expect([-1, 0, 1].map(check)).toEqual([undefined, undefined, step + 1])
  })

  test.each(['', '000', '081804x', '07081804'])('is refused as %j', (code) => {
    expect(findTotpStep({ secret, code, nowMs, lastStep: 0 })).toBeUndefined()
  })
})

test.each([
  ['', ''],
  ['f', 'my'],
  ['fo', 'mzxq'],
  ['foo', 'mzxw6'],
  ['foob', 'mzxw6yq'],
  ['fooba', 'mzxw6ytb'],
  ['foobar', 'mzxw6ytboi'],
])('base32 encodes %j as %j, as in RFC 4648', (text, written) => {
  expect(writeBase32(Buffer.from(text))).toBe(written)
})

test('the URI for an authenticator app names the user and holds the secret', () => {
  expect(writeTotpUri(secret, 'anna b')).toBe(
    'otpauth://totp/Headgate:anna%20b?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Headgate',
  )
  expect(makeTotpSecret(systemRandom)).toHaveLength(20)
})

test('recovery codes are ten different codes, which are recognized however they are typed', () => {
  const codes = makeRecoveryCodes(systemRandom)
  expect(new Set(codes).size).toBe(10)
  const [code = ''] = codes
  expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
  const typed = ` ${code.toUpperCase().replaceAll('-', ' ')} `
  expect(digestRecoveryCode(typed)).toBe(digestRecoveryCode(code))
})
