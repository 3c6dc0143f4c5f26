import { Counter, type Registry } from 'prom-client'

/** Sums, grouped by label values. */
export interface LabelledSums {
  /** Adds an amount. `values` are in the order of the label names. */
  add(values: readonly string[], amount: number): void
  /** Each set of labels with its sum. */
  totals(): readonly (readonly [labels: Record<string, string>, total: number])[]
}

/** The sum for one value of a label, and for the values of the labels after it. */
interface LabelSum {
  /** The sum for exactly the values up to this label. */
  total: number
  byNext: Map<string, LabelSum> | undefined
}

/** Creates a tree of label values. A request looks up several sums, and the tree needs no joined text for a look-up. */
function createLabelledSums(labelNames: readonly string[]): LabelledSums {
  const root: LabelSum = { total: 0, byNext: undefined }
  return {
    add(values, amount) {
      let sum = root
      for (const value of values) sum = nextOf(sum, value)
      sum.total += amount
    },
    totals: () => [...listTotals(root, labelNames, {})],
  }
}

function nextOf(sum: LabelSum, value: string): LabelSum {
  sum.byNext ??= new Map()
  const known = sum.byNext.get(value)
  if (known !== undefined) return known
  const next: LabelSum = { total: 0, byNext: undefined }
  sum.byNext.set(value, next)
  return next
}

function* listTotals(
  { total, byNext }: LabelSum,
  [name, ...others]: readonly string[],
  labels: Readonly<Record<string, string>>,
): Generator<readonly [labels: Record<string, string>, total: number]> {
  if (name === undefined) yield [labels, total]
  else for (const [value, sum] of byNext ?? []) yield* listTotals(sum, others, { ...labels, [name]: value })
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
