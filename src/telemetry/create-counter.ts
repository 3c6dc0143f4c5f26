import { Counter, type Registry } from 'prom-client'
import { LabelTree } from './label-tree.ts'

/** Sums, grouped by label values. */
export interface LabelledSums {
  /** Adds an amount. `values` are in the order of the label names. */
  add(values: readonly string[], amount: number): void
  /** Each set of labels with its sum. */
  totals(): readonly (readonly [labels: Record<string, string>, total: number])[]
}

/** Creates sums that start at 0. */
function createLabelledSums(labelNames: readonly string[]): LabelledSums {
  const tree = new LabelTree(labelNames, () => ({ total: 0 }))
  return {
    add(values, amount) {
      tree.at(values).total += amount
    },
    totals: () => tree.entries().map(([labels, { total }]) => [labels, total]),
  }
}

/** Creates a counter whose labels are ordered when it is read, not at each request. */
export function createCounter(
  registry: Registry,
  options: {
    readonly name: string
    readonly help: string
    readonly labelNames: readonly string[]
    /** The label values that have a sum of 0 until something is added. */
    readonly known?: () => readonly (readonly string[])[]
    /** The divisor that is applied to the sum when it is read. */
    readonly divisor?: number
  },
): LabelledSums {
  const { divisor = 1, known = () => [], ...labelled } = options
  const sums = createLabelledSums(options.labelNames)
  new Counter({
    ...labelled,
    labelNames: [...options.labelNames],
    registers: [registry],
    collect() {
      this.reset()
      for (const values of known()) sums.add(values, 0)
      for (const [labels, total] of sums.totals()) this.inc(labels, total / divisor)
    },
  })
  return sums
}
