/** Sums by label values, kept under one string each. */
export interface Tally {
  /** `values` in the order of the label names. */
  add(values: readonly string[], amount: number): void
  /** Each set of labels with its sum. */
  totals(): readonly (readonly [labels: Record<string, string>, total: number])[]
}

/** Stands between label values; no configured name holds it. */
const SEPARATOR = '\u0000'

export function createTally(labelNames: readonly string[]): Tally {
  const sums = new Map<string, number>()
  return {
    add(values, amount) {
      const key = values.join(SEPARATOR)
      sums.set(key, (sums.get(key) ?? 0) + amount)
    },
    totals() {
      return [...sums].map(([key, total]) => {
        const values = key.split(SEPARATOR)
        return [Object.fromEntries(labelNames.map((name, index) => [name, values[index] ?? ''])), total]
      })
    },
  }
}
