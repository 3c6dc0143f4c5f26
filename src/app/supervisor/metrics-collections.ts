// Collects the metrics of all processes, for the process that was asked for metrics.
import { type Clock, systemClock } from '../../kit/time/clock.ts'
import { EndedMetrics } from '../../telemetry/ended-metrics.ts'
import type { ToPart } from '../workers/part-messages.ts'
import type { MetricsDump } from '../workers/process-part.ts'

/** A process from which metrics are collected. */
export interface MeasuredPart {
  readonly state: 'starting' | 'ready' | 'retiring' | 'ending' | 'ended'
  send(message: ToPart): void
}

interface Collection {
  readonly missing: Set<MeasuredPart>
  readonly finish: () => void
}

const METRICS_WITHIN_MS = 2_000

export class MetricsCollections {
  readonly #clock: Pick<Clock, 'startTimer'>
  readonly #collections = new Map<number, Collection>()
  /** The last metrics of each process. A process that answers late has at least these. */
  readonly #latest = new Map<MeasuredPart, MetricsDump>()
  readonly #ended = new EndedMetrics()
  #next = 0

  constructor(clock: Pick<Clock, 'startTimer'> = systemClock) {
    this.#clock = clock
  }

  /** Sends the metrics of all processes, also those that have ended, to the process that asked. */
  async collect(asker: MeasuredPart, id: number, parts: Iterable<MeasuredPart>): Promise<void> {
    this.#next += 1
    const number = this.#next
    const reachable = [...parts].filter((part) => part.state !== 'starting')
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#collections.set(number, { missing: new Set(reachable), finish: resolve })
    const limit = this.#clock.startTimer(METRICS_WITHIN_MS, resolve)
    for (const part of reachable) part.send({ type: 'dump-metrics', id: number })
    if (reachable.length > 0) await promise
    limit.cancel()
    this.#collections.delete(number)
    asker.send({ type: 'metrics', id, dumps: [...this.#latest.values(), this.#ended.dump()] })
  }

  /** Receives the metrics of a process. Without a number they are its last ones. */
  onDump(part: MeasuredPart, dump: MetricsDump, number?: number): void {
    this.#latest.set(part, dump)
    if (number !== undefined) this.#found(part, number)
  }

  /** Keeps the sums of a process that has ended, once all its messages are read. */
  onLeft(part: MeasuredPart): void {
    const dump = this.#latest.get(part)
    const before = [...this.#latest.values()]
    this.#latest.delete(part)
    if (dump !== undefined) this.#ended.add(dump, { before, after: [...this.#latest.values()] })
    for (const number of this.#collections.keys()) this.#found(part, number)
  }

  #found(part: MeasuredPart, number: number): void {
    const collection = this.#collections.get(number)
    if (collection === undefined) return
    collection.missing.delete(part)
    if (collection.missing.size === 0) collection.finish()
  }
}
