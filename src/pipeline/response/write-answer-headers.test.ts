import fc from 'fast-check'
import { expect, it } from 'vitest'
import { writeLocalHeaders, writeLosses } from './write-answer-headers.ts'

it.each([
  ['é', '%C3%A9'],
  ['😀', '%F0%9F%98%80'],
  ['\ud83d', '%EF%BF%BD'],
  ['a\r\nx: 1', 'a%0D%0Ax: 1'],
])('writes the caller’s own name %j of a field so that a header can hold it', (field, written) => {
  expect(writeLosses([{ feature: 'foreign-field', kind: 'dropped', field }])).toBe(
    `foreign-field(${written})=dropped`,
  )
})

it('writes headers of printable ASCII alone and never throws, whatever a model or a field is called', () => {
  const name = fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  })
  fc.assert(
    fc.property(name, name, (publicName, field) => {
      const losses = [{ feature: 'foreign-field', kind: 'dropped', field }] as const
      const headers = writeLocalHeaders({ publicName, losses, attempts: 1 })
      for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]*$/)
    }),
  )
})
