import { describe, expect, it } from 'vitest'
import { systemRandom } from '../../kit/random/random.ts'
import { hintOfCode, makeCode, normalizeCode } from './redemption-code.ts'

describe('a redemption code', () => {
  const codes = Array.from({ length: 1_000 }, () => makeCode(systemRandom))

  it('has only unambiguous letters, and is never made twice', () => {
    for (const code of codes) expect(code).toMatch(/^HG(-[0-9A-HJKMNP-TV-Z]{4}){6}$/)
    expect(new Set(codes).size).toBe(codes.length)
    const letters = new Set(codes.flatMap((code) => [...code.slice(3).replaceAll('-', '')]))
    expect(letters.size).toBe(32)
  })

  it('is the same in any typed form', () => {
    for (const code of codes.slice(0, 100)) {
      const typed = [
        code.toLowerCase(),
        code.replaceAll('-', ' '),
        code.replaceAll('0', 'O').replaceAll('1', 'l'),
      ]
      expect(typed.map(normalizeCode)).toEqual(typed.map(() => normalizeCode(code)))
    }
    expect(new Set(codes.map(normalizeCode)).size).toBe(codes.length)
  })

  it('reveals little of itself when masked', () => {
    expect(hintOfCode('HG-7K2M-PQ4R-ZX81')).toBe('HG-7K2M')
  })
})
