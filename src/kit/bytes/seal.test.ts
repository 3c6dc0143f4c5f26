import { expect, it } from 'vitest'
import { systemRandom } from '../random/random.ts'
import { createSealer } from './seal.ts'

const sealer = createSealer('the secret of this installation', systemRandom)

it('a sealed text opens only at its own place and with the same secret', () => {
  const sealed = sealer.seal('sk-upstream-ä', 'config_versions|1|api_key')
  expect(sealed).not.toContain('upstream')
  expect(sealer.open(sealed, 'config_versions|1|api_key')).toBe('sk-upstream-ä')
  expect(sealer.open(sealed, 'config_versions|2|api_key')).toBe(undefined)
  const other = createSealer('another secret', systemRandom)
  expect(other.open(sealed, 'config_versions|1|api_key')).toBe(undefined)
})

it('two seals of the same text differ', () => {
  expect(sealer.seal('a', 'p')).not.toBe(sealer.seal('a', 'p'))
})

it('a changed or broken text does not open, and opening does not throw', () => {
  const sealed = sealer.seal('sk-upstream', 'p')
  const bytes = sealed.length
  for (let index = 0; index < bytes; index += 1) {
    const flipped = sealed[index] === 'A' ? 'B' : 'A'
    const changed = sealed.slice(0, index) + flipped + sealed.slice(index + 1)
    expect(sealer.open(changed, 'p')).toBe(undefined)
    expect(sealer.open(sealed.slice(0, index), 'p')).toBe(undefined)
  }
  for (const text of ['', '.', 'v1', 'v1.', 'v1..', 'v2.00000000.AAAA']) {
    expect(sealer.open(text, 'p')).toBe(undefined)
  }
})

it('only the original base64 spelling of the sealed bytes opens', () => {
  // 29 bytes: the last character stands for two bits, and for four that say nothing.
  const sealed = sealer.seal('a', 'p')
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const same = [...alphabet].map((last) => sealed.slice(0, -1) + last).filter((text) => text !== sealed)
  const spellings = [
    ...same,
    `${sealed}=`,
    `${sealed}\n`,
    ` ${sealed}`,
    `${sealed}.`,
    sealed.replace('.', '..'),
  ]
  expect(spellings.filter((text) => sealer.open(text, 'p') !== undefined)).toEqual([])
  expect(sealer.open(sealed, 'p')).toBe('a')
})
