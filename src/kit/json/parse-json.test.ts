import { describe, expect, it } from 'vitest'
import { NumberRangeError, parseJson } from './parse-json.ts'

describe('parsing JSON', () => {
  it('keeps every digit of integers that a double cannot hold', () => {
    const text = '{"id":12345678901234567890,"small":-3,"list":[98765432109876543210]}'
    expect(JSON.stringify(parseJson(text))).toBe(text)
  })

  it('leaves long digits inside strings unchanged', () => {
    expect(parseJson('{"id":"12345678901234567890"}')).toEqual({ id: '12345678901234567890' })
  })

  it('refuses numbers outside the range of a double instead of sending null', () => {
    expect(() => parseJson('{"temperature":1e400}')).toThrow(NumberRangeError)
  })

  it.each([
    '[12345678901234567890,-12345678901234567890,1.2345678901234567,9007199254740993]',
    '{"a":{"b":[{"c":12345678901234567890}]},"s":"12345678901234567890","t":"\\"12345678901234567890"}',
    '{"__proto__":12345678901234567890}',
    '12345678901234567890',
  ])('keeps wide integers at any depth, as in %s', (text) => {
    expect(JSON.stringify(parseJson(text))).toBe(text)
  })

  it.each([
    '{12345678901234567890:1}',
    '[012345678901234567890]',
    '[--12345678901234567890]',
    '[1 12345678901234567890]',
    '[12345678901234567890x]',
  ])('refuses %s, which is not JSON', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError)
  })

  it('reads wide integers at great depth', () => {
    const text = `${'['.repeat(5_000)}12345678901234567890${']'.repeat(5_000)}`
    expect(() => parseJson(text)).not.toThrow()
  })

  it.each([
    ['many integers', `[1234567890123456789${',7'.repeat(250_000)}]`],
    ['many wide integers', `[1234567890123456789${',1234567890123456789'.repeat(250_000)}]`],
    ['a string full of digits', `["${'123456789012345x'.repeat(500_000)}",1234567890123456789]`],
    ['many objects', `[1234567890123456789${',{"a":1,"b":[]}'.repeat(100_000)}]`],
  ])('does not block for long on %s next to a wide integer', (_what, text) => {
    const before = process.threadCpuUsage()
    parseJson(text)
    const { user } = process.threadCpuUsage(before)
    expect(user / 1_000).toBeLessThan(1_000)
  })

  it('keeps a member named __proto__ as data', () => {
    const value = parseJson('{"__proto__":{"polluted":true}}')
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true}}')
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})
