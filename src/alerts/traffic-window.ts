import { InvariantError } from '../kit/errors/invariant-error.ts'

/** The number of slices in a window. The window advances by one slice at a time. */
const SLICES = 10
/** The growth factor of the duration buckets. Percentiles are accurate to 10 %. */
const RANGE_FACTOR = 1.1
const MAX_RANGE = 160

interface Slice {
  /** The number of the slice since the epoch. `-1` for a slice that was never used. */
  at: number
  count: number
  failures: number
  durations: Uint32Array | undefined
}

/** The counts of a window. */
export interface WindowCounts {
  readonly count: number
  readonly failures: number
}

/** The requests of one object in a sliding window: count, failures and durations. Its memory use is fixed. */
export class TrafficWindow {
  readonly #sliceMs: number
  readonly #slices: readonly Slice[]

  constructor(windowMs: number) {
    this.#sliceMs = windowMs / SLICES
    this.#slices = Array.from({ length: SLICES }, () => ({
      at: -1,
      count: 0,
      failures: 0,
      durations: undefined,
    }))
  }

  addOutcome(isFailure: boolean, nowMs: number): void {
    const slice = this.#sliceAt(nowMs)
    slice.count += 1
    if (isFailure) slice.failures += 1
  }

  addDuration(durationMs: number, nowMs: number): void {
    const slice = this.#sliceAt(nowMs)
    slice.count += 1
    slice.durations ??= new Uint32Array(MAX_RANGE + 1)
    const range = rangeOf(durationMs)
    slice.durations[range] = (slice.durations[range] ?? 0) + 1
  }

  countsAt(nowMs: number): WindowCounts {
    let [count, failures] = [0, 0]
    for (const slice of this.#current(nowMs)) {
      count += slice.count
      failures += slice.failures
    }
    return { count, failures }
  }

  /** The duration that this percentage of requests does not exceed. Undefined without any requests. */
  percentileAt(percentile: number, nowMs: number): number | undefined {
    const slices = this.#current(nowMs)
    const { count } = this.countsAt(nowMs)
    if (count === 0) return undefined
    const wanted = Math.ceil((count * percentile) / 100)
    let seen = 0
    for (let range = 0; range <= MAX_RANGE; range += 1) {
      for (const { durations } of slices) seen += durations?.[range] ?? 0
      if (seen >= wanted) return Math.round(RANGE_FACTOR ** range)
    }
    return undefined
  }

  #sliceAt(nowMs: number): Slice {
    const at = Math.floor(nowMs / this.#sliceMs)
    const slice = this.#slices[at % SLICES]
    if (slice === undefined) throw new InvariantError('a window was given a time before 1970')
    if (slice.at !== at) {
      Object.assign(slice, { at, count: 0, failures: 0 })
      slice.durations?.fill(0)
    }
    return slice
  }

  #current(nowMs: number): readonly Slice[] {
    const newest = Math.floor(nowMs / this.#sliceMs)
    return this.#slices.filter(({ at }) => at > newest - SLICES && at <= newest)
  }
}

function rangeOf(durationMs: number): number {
  if (durationMs <= 1) return 0
  return Math.min(MAX_RANGE, Math.ceil(Math.log(durationMs) / Math.log(RANGE_FACTOR)))
}
