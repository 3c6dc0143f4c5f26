import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Base64Joiner } from './base64-joiner.ts'

it('padded pieces of base64 join to one text with all of their bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 10 })), (pieces) => {
      const joiner = new Base64Joiner()
      const text = pieces.map((piece) => joiner.push(Buffer.from(piece).toString('base64'))).join('')
      expect(text + joiner.end()).toBe(Buffer.concat(pieces).toString('base64'))
    }),
  )
})

it('a text that has ended leaves nothing for the next one', () => {
  const joiner = new Base64Joiner()
  joiner.push('YQ==')
  expect(joiner.end()).toBe('YQ==')
  expect(joiner.end()).toBe('')
})
