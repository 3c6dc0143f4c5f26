import { createHash, createHmac, createSecretKey } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemRandom } from '../kit/random/random.ts'
import { digestSecret, digestSecretHash } from './digest-secret.ts'
import { isWholeSecret, makeSecret } from './make-secret.ts'

test('a secret is sk-hg-, 32 random bytes and their checksum', () => {
  const secret = makeSecret({ fraction: () => 0, bytes: (count) => Buffer.alloc(count) })
  expect(secret).toBe(`sk-hg-${'A'.repeat(43)}DCtZhg`)
  expect(isWholeSecret(secret)).toBe(true)
})

test('a secret with one character changed, removed or added fails the checksum', () => {
  const secret = makeSecret(systemRandom)
  const place = fc.integer({ min: 0, max: secret.length - 1 })
  const character = fc.constantFrom(...'ABCxyz019-_')
  fc.assert(
    fc.property(place, character, (index, replacement) => {
      fc.pre(secret[index] !== replacement)
      const [before, after] = [secret.slice(0, index), secret.slice(index + 1)]
      expect(isWholeSecret(before + replacement + after)).toBe(false)
      expect(isWholeSecret(before + after)).toBe(false)
      expect(isWholeSecret(`${secret}${replacement}`)).toBe(false)
    }),
  )
})

test('a digest is the HMAC of the SHA-256 hash, so it can be made from the secret or its hash', () => {
  const pepper = createSecretKey(Buffer.from('pepper'))
  const hash = createHash('sha256').update('a secret of sixteen').digest()
  const expected = createHmac('sha256', 'pepper').update(hash).digest('hex')
  expect(digestSecret('a secret of sixteen', pepper)).toBe(expected)
  expect(digestSecretHash(hash.toString('hex'), pepper)).toBe(expected)
})
