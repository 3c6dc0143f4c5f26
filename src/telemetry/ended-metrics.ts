import { type DumpedSum, type DumpedSums, dumpedSumsSchema } from './metric-schema.ts'

type Dump = readonly object[]

/** A metric of ended processes, and its sums by their labels. */
interface EndedMetric {
  readonly metric: Omit<DumpedSums, 'values'>
  readonly sums: Map<string, DumpedSum>
}

/** Adds up the counters and histograms of processes that have ended, so that no sum decreases when a process ends. */
export class EndedMetrics {
  readonly #metrics = new Map<string, EndedMetric>()

  /**
   * Adds the last dump of a process. Its scrapes added up `before`, and the next ones add up `after`, both in this
   * order, and then the sums here. Another order rounds differently. Prometheus takes the least decrease for a reset
   * of the counter, and counts all of it again, so such a sum is raised by what it lacks.
   */
  add(
    dump: Dump,
    { before, after }: { readonly before: readonly Dump[]; readonly after: readonly Dump[] },
  ): void {
    const shown = addUp([...before, this.dump()])
    for (const metric of listSums(dump)) this.#add(metric)
    const next = addUp([...after, this.dump()])
    for (const { metric, sums } of this.#metrics.values()) {
      for (const [key, sum] of sums) {
        const name = `${metric.name} ${key}`
        const lacking = (shown.get(name) ?? 0) - (next.get(name) ?? 0)
        // Twice the difference survives the rounding of this sum and of the whole.
        if (lacking > 0) sums.set(key, { ...sum, value: sum.value + 2 * lacking })
      }
    }
  }

  /** The sums in the form of the dump of a process. */
  dump(): readonly DumpedSums[] {
    return [...this.#metrics.values()].map(({ metric, sums }) => ({ ...metric, values: [...sums.values()] }))
  }

  #add({ values, ...metric }: DumpedSums): void {
    const { sums } = this.#metrics.get(metric.name) ?? { sums: new Map<string, DumpedSum>() }
    for (const sum of values) {
      const key = keyOf(sum)
      sums.set(key, { ...sum, value: (sums.get(key)?.value ?? 0) + sum.value })
    }
    this.#metrics.set(metric.name, { metric, sums })
  }
}

function listSums(dump: Dump): readonly DumpedSums[] {
  return dump.flatMap((each) => {
    const read = dumpedSumsSchema.safeParse(each)
    return read.success ? [read.data] : []
  })
}

/** Adds up in the order of the dumps, like a scrape. */
function addUp(dumps: readonly Dump[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>()
  for (const { name, values } of dumps.flatMap(listSums)) {
    for (const sum of values) {
      const key = `${name} ${keyOf(sum)}`
      totals.set(key, (totals.get(key) ?? 0) + sum.value)
    }
  }
  return totals
}

function keyOf({ metricName, labels }: DumpedSum): string {
  return JSON.stringify([metricName, labels])
}
