import type { RateTerms } from '../../access/limits/rate-schema.ts'
import {
  bucketsOf,
  fullAfter,
  type RateBucket,
  type RateKind,
  rateKinds,
  unitsIn,
  waitFor,
} from './rate-bucket.ts'

export type RateLimitKind = RateKind | 'concurrency'

/** The part of a limit that a request lacks. */
export interface Shortfall {
  readonly kind: RateLimitKind
  /** Undefined where another request must end first. */
  readonly waitMs: number | undefined
}

/** The rest of a limit at a moment. */
export interface RateLevel {
  readonly kind: RateKind
  /** The units that a minute allows. */
  readonly limit: number
  readonly remaining: number
  /** The time until the limit is whole again. */
  readonly resetMs: number
}

/** The use that one request makes of a limit while it runs under it. */
export interface LimitUse {
  /** The output tokens reserved before any output existed. */
  readonly reserved: number
  output: number
}

/** Each answer moves the expected output by this share of the difference. */
const EXPECTATION_STEP = 1 / 16

/** The state of one limit, whatever its terms are at the time: what is used of it, and what runs under it. */
export class LimitState {
  /** The time at which the bucket of each kind is full again. */
  readonly #fullAtMs: Record<RateKind, number> = {
    requests: 0,
    tokens: 0,
    'input-tokens': 0,
    'output-tokens': 0,
  }
  #running = 0
  /** The output of one request, by those that have ended; undefined before the first has. */
  #expectedOutput: number | undefined

  get running(): number {
    return this.#running
  }

  /** The shortfall that takes longest to end; undefined where there is none. */
  findShortfall(terms: RateTerms, inputTokens: number, nowMs: number): Shortfall | undefined {
    let longest: Shortfall | undefined
    if (terms.concurrency !== undefined && this.#running >= terms.concurrency)
      longest = { kind: 'concurrency', waitMs: undefined }
    for (const bucket of bucketsOf(terms)) {
      const { kind } = bucket
      const needed = neededOf(kind, inputTokens)
      const waitMs = waitFor(bucket, needed, { fullAtMs: this.#fullAtMs[kind], nowMs })
      if (waitMs > (longest?.waitMs ?? 0)) longest = { kind, waitMs }
    }
    return longest
  }

  /**
   * Acquires the input and the usual output. If output were acquired only as it is counted, all waiting requests would
   * go as soon as one can.
   */
  acquire(terms: RateTerms, inputTokens: number, nowMs: number): LimitUse {
    this.#running += 1
    const reserved = Math.round(this.#expectedOutput ?? 0)
    for (const bucket of bucketsOf(terms)) {
      const { kind } = bucket
      this.#add(bucket, unitsOf(kind, inputTokens) + (countsOutput(kind) ? reserved : 0), nowMs)
    }
    return { reserved, output: 0 }
  }

  /** Acquires what goes beyond the reserved output as it is counted. */
  addOutput(use: LimitUse, tokens: number, { terms, nowMs }: TermsAt): void {
    const before = Math.max(use.reserved, use.output)
    use.output += tokens
    this.#addToOutput(Math.max(use.reserved, use.output) - before, { terms, nowMs })
  }

  /** Gives back what was reserved and not used. */
  release({ reserved, output }: LimitUse, at: TermsAt): void {
    this.#running -= 1
    this.#addToOutput(Math.min(0, output - reserved), at)
    const expected = this.#expectedOutput ?? output
    this.#expectedOutput = expected + (output - expected) * EXPECTATION_STEP
  }

  /** Adds the level of each kind that the terms limit. */
  addLevels(levels: RateLevel[], { terms, nowMs }: TermsAt): void {
    for (const bucket of bucketsOf(terms)) {
      const { kind, limit } = bucket
      const fullAtMs = this.#fullAtMs[kind]
      const remaining = unitsIn(bucket, { fullAtMs, nowMs })
      levels.push({ kind, limit, remaining, resetMs: Math.max(0, Math.ceil(fullAtMs - nowMs)) })
    }
  }

  /** Whether it equals the state of an unused limit. */
  isIdle(nowMs: number): boolean {
    return this.#running === 0 && rateKinds.every((kind) => this.#fullAtMs[kind] <= nowMs)
  }

  #addToOutput(units: number, { terms, nowMs }: TermsAt): void {
    for (const bucket of bucketsOf(terms)) if (countsOutput(bucket.kind)) this.#add(bucket, units, nowMs)
  }

  #add(bucket: RateBucket, units: number, nowMs: number): void {
    const { kind } = bucket
    if (units !== 0)
      this.#fullAtMs[kind] = fullAfter(bucket, units, { fullAtMs: this.#fullAtMs[kind], nowMs })
  }
}

/** The terms of a limit, which a new configuration can change, at a moment. */
export interface TermsAt {
  readonly terms: RateTerms
  readonly nowMs: number
}

function countsOutput(kind: RateKind): boolean {
  return kind === 'tokens' || kind === 'output-tokens'
}

/** The units that must be there: at least one, since a request without output is of no use. */
function neededOf(kind: RateKind, inputTokens: number): number {
  return kind === 'tokens' || kind === 'input-tokens' ? Math.max(1, inputTokens) : 1
}

/** The units without the output. */
function unitsOf(kind: RateKind, inputTokens: number): number {
  switch (kind) {
    case 'requests':
      return 1
    case 'tokens':
    case 'input-tokens':
      return inputTokens
    case 'output-tokens':
      return 0
  }
}
