import { describe, expect, test } from 'vitest'
import { brand } from '../../kit/brand.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { createPasswordHasher, isOutdated, type PasswordHash } from './password.ts'

const hasher = createPasswordHasher(systemRandom)

describe('a password', () => {
  test('verifies against its own hash, and no other password does', async () => {
    const hash = await hasher.hash('correct horse battery')
    expect(await hasher.verify('correct horse battery', hash)).toBe(true)
    expect(await hasher.verify('correct horse batterx', hash)).toBe(false)
    expect(await hasher.verify('', hash)).toBe(false)
  })

  test('gets a different hash each time, which holds the parameters but not the password', async () => {
    const [one, other] = await Promise.all([hasher.hash('twice the same'), hasher.hash('twice the same')])
    expect(one).not.toBe(other)
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(one).not.toContain('twice')
  })

  test('verifies however a keyboard composes its characters', async () => {
    const hash = await hasher.hash('Z\u00fcrich am See')
    expect(await hasher.verify('Zu\u0308rich am See', hash)).toBe(true)
  })

  test('never verifies for an unknown name or a damaged hash', async () => {
    expect(await hasher.verify('anything at all', undefined)).toBe(false)
    expect(await hasher.verify('anything at all', brand<PasswordHash>('damaged'))).toBe(false)
  })

  test('that was hashed with other parameters verifies and is due for rehashing', async () => {
    // A vector from the tests of Argon2's reference implementation: "password" with the salt "somesalt", 64
    // MiB, 2 passes.
    const tag = Buffer.from('09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7', 'hex')
    const [salt, encoded] = ['c29tZXNhbHQ', tag.toString('base64').replace('=', '')]
    const other = brand<PasswordHash>(`$argon2id$v=19$m=65536,t=2,p=1$${salt}$${encoded}`)
    expect(await hasher.verify('password', other)).toBe(true)
    expect(isOutdated(other)).toBe(true)
    expect(isOutdated(await hasher.hash('password'))).toBe(false)
  })

  test('is refused when too many are waiting to be hashed, and the waiting ones are still served', async () => {
    const flooded = createPasswordHasher(systemRandom)
    const attempts = Array.from({ length: 70 }, () => flooded.verify('guess', undefined))
    const results = await Promise.allSettled(attempts)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(66)
    expect(results.at(-1)).toMatchObject({ reason: { failure: { code: 'sign_in_busy' } } })
    expect(await flooded.verify('guess', undefined)).toBe(false)
  })
})
