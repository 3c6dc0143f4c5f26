// Collects the metrics of all processes, for the process that was asked for metrics.
import { systemClock } from '../../kit/time/clock.ts'
import type { MetricsDump } from '../workers/process-part.ts'
import type { PartProcess } from './part-process.ts'

interface Collection {
  readonly dumps: MetricsDump[]
  missing: number
  readonly finish: () => void
}

const METRICS_WITHIN_MS = 2_000

export class MetricsCollections {
  readonly #collections = new Map<number, Collection>()
  #next = 0

  /** Sends the answers of the other processes that arrive in time to the process that asked. */
  async collect(asker: PartProcess, id: number, parts: Iterable<PartProcess>): Promise<void> {
    this.#next += 1
    const number = this.#next
    const others = [...parts].filter((part) => part !== asker && part.state !== 'starting')
    const { promise, resolve } = Promise.withResolvers<void>()
    const collection: Collection = { dumps: [], missing: others.length, finish: resolve }
    this.#collections.set(number, collection)
    const limit = systemClock.startTimer(METRICS_WITHIN_MS, resolve)
    for (const part of others) part.send({ type: 'dump-metrics', id: number })
    if (others.length > 0) await promise
    limit.cancel()
    this.#collections.delete(number)
    asker.send({ type: 'metrics', id, dumps: collection.dumps })
  }

  onDump(id: number, dump: MetricsDump): void {
    const collection = this.#collections.get(id)
    if (collection === undefined) return
    collection.dumps.push(dump)
    collection.missing -= 1
    if (collection.missing === 0) collection.finish()
  }
}
