import type { Clock } from '../../kit/time/clock.ts'
import type { LimitStatus } from '../../wire/limit-status.ts'
import type { FormatFrames } from '../../wire/wire-format.ts'

/** The headers state when a limit resets, so that older ones would be wrong. */
const MAX_AGE_MS = 100

export interface LimitHeadersOptions {
  readonly format: Pick<FormatFrames, 'writeLimitHeaders'>
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>
  /** Reads the remainder of the caller's rate limits; undefined where no limit applies. */
  readonly readLimits?: (() => readonly LimitStatus[]) | undefined
}

type Headers = Readonly<Record<string, string>>

/** Writes the headers of a caller's rate limits, if possible before the answer arrives. */
export class LimitHeaders {
  readonly #options: LimitHeadersOptions
  #prepared: Headers | undefined
  #preparedAtMs = 0

  constructor(options: LimitHeadersOptions) {
    this.#options = options
  }

  /** Writes the headers in a moment at which no caller waits. */
  prepare(): void {
    const { format, clock, readLimits } = this.#options
    if (readLimits === undefined) return
    this.#prepared = format.writeLimitHeaders(readLimits(), clock.nowMs())
    this.#preparedAtMs = clock.monotonicMs()
  }

  /** The prepared headers, or new ones if those are too old; undefined where no limit applies. */
  read(): Headers | undefined {
    const { clock } = this.#options
    if (this.#prepared === undefined || clock.monotonicMs() - this.#preparedAtMs > MAX_AGE_MS) this.prepare()
    return this.#prepared
  }
}
