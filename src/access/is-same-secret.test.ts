import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSameSecret } from './key-registry.ts'

test('a secret equals itself and no other secret', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      expect(isSameSecret(one, `${one}`)).toBe(true)
      expect(isSameSecret(one, other)).toBe(one === other)
    }),
  )
})

test('a secret that differs in a single character is a different secret', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.nat(), (secret, place) => {
      const at = place % secret.length
      const changed = `${secret.slice(0, at)}${secret[at] === 'a' ? 'b' : 'a'}${secret.slice(at + 1)}`
      expect(isSameSecret(secret, changed)).toBe(false)
    }),
  )
})
