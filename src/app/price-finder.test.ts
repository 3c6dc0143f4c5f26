import { describe, expect, it } from 'vitest'
import { nanoDollarsOf } from '../canonical/money.ts'
import type { PriceVersion, PriceVersionId } from '../catalog/prices/price.ts'
import { brand } from '../kit/brand.ts'
import { PriceFinder } from './price-finder.ts'

function versionOf(name: string): PriceVersion {
  const sheets = [
    { tier: 'standard', aboveInputTokens: 0, rates: { input: nanoDollarsOf(1), output: nanoDollarsOf(2) } },
  ] as const
  return { id: idOf(name), effectiveFromMs: 0, source: 'override', sheets, toolCalls: {} }
}

function idOf(name: string): PriceVersionId {
  return brand<PriceVersionId>(name)
}

function findOnly(name: string): (id: PriceVersionId) => PriceVersion | undefined {
  return (id) => (id === idOf(name) ? versionOf(name) : undefined)
}

describe('the price finder', () => {
  it('finds the prices of every configuration that was in force, not only the first and the newest', () => {
    const finder = new PriceFinder(findOnly('first'))
    finder.change(findOnly('second'))
    finder.change(findOnly('third'))
    const found = ['first', 'second', 'third', 'unknown'].map((name) => finder.find(idOf(name))?.id)
    expect(found).toEqual([idOf('first'), idOf('second'), idOf('third'), undefined])
  })

  it('keeps a bounded number of configurations', () => {
    const finder = new PriceFinder(findOnly('first'))
    for (let change = 0; change < 100; change += 1) finder.change(findOnly(`change ${change}`))
    expect(finder.find(idOf('first'))).toBeUndefined()
    expect(finder.find(idOf('change 99'))?.id).toBe(idOf('change 99'))
  })
})
