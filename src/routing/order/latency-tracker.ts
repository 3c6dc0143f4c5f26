import type { Target } from '../../catalog/catalog.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'

/** The weight of the newest measurement. */
const NEWEST_SHARE = 0.2
/** The time without a measurement after which the average begins to fade. */
const FADE_AFTER_MS = 10_000
/** The time in which a fading average halves, so that a slow target is tried again. */
const HALF_LIFE_MS = 30_000
const FORGOTTEN_AFTER_MS = 10 * MINUTE_MS
const MAX_RECORDS = 10_000

class Latency {
  ms: number
  atMs: number
  count = 1
  constructor(ms: number, atMs: number) {
    this.ms = ms
    this.atMs = atMs
  }
}

class TargetLatency {
  streamed: Latency | undefined = undefined
  whole: Latency | undefined = undefined
}

export interface LatencyMeasure {
  /** Streams are measured to their first content, whole answers to their end. */
  readonly isStream: boolean
  readonly ms: number
  readonly monotonicMs: number
}

export interface LatencyLine {
  readonly channel: string
  readonly upstreamModel: string
  /** The time to the first content; undefined without a measurement. */
  readonly streamMs: number | undefined
  /** The time to the end; undefined without a measurement. */
  readonly wholeMs: number | undefined
}

/** The recent latency of each target: a moving average that fades. */
export class LatencyTracker {
  readonly #channels = new Map<string, Map<string, TargetLatency>>()
  #records = 0

  record({ channel, upstreamModel }: Target, { isStream, ms, monotonicMs }: LatencyMeasure): void {
    const record = this.#getOrCreate(channel.name, upstreamModel)
    const average = isStream ? record.streamed : record.whole
    if (average === undefined || monotonicMs - average.atMs > FORGOTTEN_AFTER_MS) {
      const first = new Latency(ms, monotonicMs)
      if (isStream) record.streamed = first
      else record.whole = first
      return
    }
    average.ms += (ms - average.ms) * Math.max(NEWEST_SHARE, 1 / (average.count + 1))
    average.atMs = monotonicMs
    average.count += 1
  }

  /**
   * The latency in milliseconds. It shrinks with the age of the measurement. Undefined without a measurement, or after
   * too long a time.
   */
  of({ channel, upstreamModel }: Target, isStream: boolean, monotonicMs: number): number | undefined {
    const record = this.#channels.get(channel.name)?.get(upstreamModel)
    const average = isStream ? record?.streamed : record?.whole
    if (average === undefined) return undefined
    const idleMs = monotonicMs - average.atMs
    if (idleMs <= FADE_AFTER_MS) return average.ms
    return idleMs > FORGOTTEN_AFTER_MS
      ? undefined
      : average.ms * 2 ** ((FADE_AFTER_MS - idleMs) / HALF_LIFE_MS)
  }

  report(): readonly LatencyLine[] {
    return [...this.#channels].flatMap(([channel, models]) =>
      [...models].map(([upstreamModel, { streamed, whole }]) => ({
        channel,
        upstreamModel,
        streamMs: streamed?.ms,
        wholeMs: whole?.ms,
      })),
    )
  }

  #getOrCreate(channelName: string, upstreamModel: string): TargetLatency {
    let models = this.#channels.get(channelName)
    if (models === undefined) {
      models = new Map()
      this.#channels.set(channelName, models)
    }
    let record = models.get(upstreamModel)
    if (record === undefined) {
      if (this.#records >= MAX_RECORDS) this.#forgetAll()
      record = new TargetLatency()
      models.set(upstreamModel, record)
      this.#records += 1
    }
    return record
  }

  /** Forgets all records. They are measured again within seconds, so no order of eviction is needed. */
  #forgetAll(): void {
    for (const models of this.#channels.values()) models.clear()
    this.#records = 0
  }
}
