import type { RateTerms } from '../../access/limits/rate-schema.ts'
import {
  createBuckets,
  fullAfter,
  type RateBucket,
  type RateKind,
  rateKinds,
  unitsIn,
  waitFor,
} from './rate-bucket.ts'

export type RateLimitKind = RateKind | 'concurrency'

/** The kind of a limit that blocks a request, and the time to wait. */
export interface Shortfall {
  readonly kind: RateLimitKind
  /** Undefined if another request must end first. */
  readonly waitMs: number | undefined
}

/** The remaining units of a limit at a time. */
export interface RateLevel {
  readonly kind: RateKind
  /** The units that are allowed in a minute. */
  readonly limit: number
  readonly remaining: number
  /** The time until the limit is fully available again. */
  readonly resetMs: number
}

/** The units of a limit that one request uses while it is in flight. */
export interface LimitUse {
  /** The output tokens reserved before there was any output. Zero once the request has ended. */
  reserved: number
  output: number
  input: number
}

/** The expected output moves towards each answer's output by this share of the difference. */
const EXPECTATION_STEP = 1 / 16

/** The state of one limit, independent of its current terms: the units used, and the requests in flight. */
export class LimitState {
  /** The time at which the bucket of each kind is full again. */
  readonly #fullAtMs: Record<RateKind, number> = {
    requests: 0,
    tokens: 0,
    'input-tokens': 0,
    'output-tokens': 0,
  }
  /** The buckets of the terms of the last call. Terms change only with the configuration. */
  #buckets: readonly RateBucket[] = []
  #bucketTerms: RateTerms | undefined
  #running = 0
  /** The average output of the requests that have ended; undefined before the first has ended. */
  #expectedOutput: number | undefined

  get running(): number {
    return this.#running
  }

  /** The shortfall with the longest wait; undefined if the request can go. */
  findShortfall(terms: RateTerms, inputTokens: number, nowMs: number): Shortfall | undefined {
    let longest: Shortfall | undefined
    if (terms.concurrency !== undefined && this.#running >= terms.concurrency)
      longest = { kind: 'concurrency', waitMs: undefined }
    for (const bucket of this.#bucketsOf(terms)) {
      const { kind } = bucket
      const needed = neededOf(kind, inputTokens)
      const waitMs = waitFor(bucket, needed, { fullAtMs: this.#fullAtMs[kind], nowMs })
      if (waitMs > (longest?.waitMs ?? 0)) longest = { kind, waitMs }
    }
    return longest
  }

  /**
   * Acquires the input and the expected output. If output were only acquired as it is generated, all waiting requests
   * would start as soon as one of them can.
   */
  acquire(terms: RateTerms, inputTokens: number, nowMs: number): LimitUse {
    this.#running += 1
    const reserved = Math.round(this.#expectedOutput ?? 0)
    for (const bucket of this.#bucketsOf(terms)) {
      const { kind } = bucket
      this.#add(bucket, unitsOf(kind, inputTokens) + (countsOutput(kind) ? reserved : 0), nowMs)
    }
    return { reserved, output: 0, input: inputTokens }
  }

  /** Acquires the output beyond the reserved tokens as it is generated. */
  addOutput(use: LimitUse, tokens: number, { terms, nowMs }: TermsAt): void {
    const before = Math.max(use.reserved, use.output)
    use.output += tokens
    this.#addToOutput(Math.max(use.reserved, use.output) - before, { terms, nowMs })
  }

  /** Acquires the input beyond the estimate with which the request was admitted. */
  raiseInput(use: LimitUse, tokens: number, { terms, nowMs }: TermsAt): void {
    const more = Math.max(0, tokens - use.input)
    use.input += more
    for (const bucket of this.#bucketsOf(terms)) if (countsInput(bucket.kind)) this.#add(bucket, more, nowMs)
  }

  /** Gives back the reserved tokens that were not used. Output that is added later counts in full. */
  release(use: LimitUse, at: TermsAt): void {
    const { reserved, output } = use
    this.#running -= 1
    this.#addToOutput(Math.min(0, output - reserved), at)
    use.reserved = 0
    const expected = this.#expectedOutput ?? output
    this.#expectedOutput = expected + (output - expected) * EXPECTATION_STEP
  }

  /** Adds the level of each kind that the terms limit. */
  addLevels(levels: RateLevel[], { terms, nowMs }: TermsAt): void {
    for (const bucket of this.#bucketsOf(terms)) {
      const { kind, limit } = bucket
      const fullAtMs = this.#fullAtMs[kind]
      const remaining = unitsIn(bucket, { fullAtMs, nowMs })
      levels.push({ kind, limit, remaining, resetMs: Math.max(0, Math.ceil(fullAtMs - nowMs)) })
    }
  }

  /** Whether the state equals that of an unused limit. */
  isIdle(nowMs: number): boolean {
    return this.#running === 0 && rateKinds.every((kind) => this.#fullAtMs[kind] <= nowMs)
  }

  #bucketsOf(terms: RateTerms): readonly RateBucket[] {
    if (terms !== this.#bucketTerms) {
      this.#buckets = createBuckets(terms)
      this.#bucketTerms = terms
    }
    return this.#buckets
  }

  #addToOutput(units: number, { terms, nowMs }: TermsAt): void {
    for (const bucket of this.#bucketsOf(terms))
      if (countsOutput(bucket.kind)) this.#add(bucket, units, nowMs)
  }

  #add(bucket: RateBucket, units: number, nowMs: number): void {
    const { kind } = bucket
    if (units !== 0)
      this.#fullAtMs[kind] = fullAfter(bucket, units, { fullAtMs: this.#fullAtMs[kind], nowMs })
  }
}

/** The terms of a limit at a time. A new configuration can change them. */
export interface TermsAt {
  readonly terms: RateTerms
  readonly nowMs: number
}

function countsOutput(kind: RateKind): boolean {
  return kind === 'tokens' || kind === 'output-tokens'
}

function countsInput(kind: RateKind): boolean {
  return kind === 'tokens' || kind === 'input-tokens'
}

/** The units that must be available: at least one, since a request without output is useless. */
function neededOf(kind: RateKind, inputTokens: number): number {
  return countsInput(kind) ? Math.max(1, inputTokens) : 1
}

/** The units of a request without its output. */
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
