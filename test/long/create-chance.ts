/** Chance that is the same for the same seed. */
export interface Chance {
  /** From 0 up to 1. */
  next(): number
  /** A whole number from 0 up to the limit. */
  upTo(limit: number): number
  pick<Item>(items: readonly Item[]): Item
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0 || 1
  const next = () => {
    // xorshift32
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const upTo = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    upTo,
    pick(items) {
      const item = items[upTo(items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
  }
}
