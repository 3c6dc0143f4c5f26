import { describe, expect, it } from 'vitest'
import { NumberRangeError, parseJson } from './parse-json.ts'

describe('parsing JSON', () => {
  it('keeps every digit of integers that no double can hold', () => {
    const text = '{"id":12345678901234567890,"small":-3,"list":[98765432109876543210]}'
    expect(JSON.stringify(parseJson(text))).toBe(text)
  })

  it('leaves long digits inside strings alone', () => {
    expect(parseJson('{"id":"12345678901234567890"}')).toEqual({ id: '12345678901234567890' })
  })

  it('refuses numbers beyond any double instead of sending null', () => {
    expect(() => parseJson('{"temperature":1e400}')).toThrow(NumberRangeError)
  })

  it('keeps a member named __proto__ as data', () => {
    const value = parseJson('{"__proto__":{"polluted":true}}')
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true}}')
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})
