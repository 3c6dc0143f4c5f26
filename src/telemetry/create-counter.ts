import { Counter, type Registry } from 'prom-client'

/** Sums by label values, each stored under one string. */
export interface LabelledSums {
  /** `values` in the order of the label names. */
  add(values: readonly string[], amount: number): void
  /** Each set of labels with its sum. */
  totals(): readonly (readonly [labels: Record<string, string>, total: number])[]
}

/** Stands between label values; no configured name holds it. */
const SEPARATOR = '\u0000'

function createLabelledSums(labelNames: readonly string[]): LabelledSums {
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

/** A counter whose labels are put in order when it is read, not with each request. */
export function createCounter(
  registry: Registry,
  options: {
    readonly name: string
    readonly help: string
    readonly labelNames: readonly string[]
    /** The divisor of the sum when it is read. */
    readonly divisor?: number
  },
): LabelledSums {
  const { divisor = 1, ...labelled } = options
  const sums = createLabelledSums(options.labelNames)
  new Counter({
    ...labelled,
    labelNames: [...options.labelNames],
    registers: [registry],
    collect() {
      this.reset()
      for (const [labels, total] of sums.totals()) this.inc(labels, total / divisor)
    },
  })
  return sums
}
