import type { RateTerms } from '../../access/limits/rate-schema.ts'
import { bucketsOf, fullAfter, type RateKind, rateKinds, unitsIn, waitFor } from './rate-bucket.ts'

export type LimitKind = RateKind | 'concurrency'

/** What a limit lacks for a request. */
export interface Shortage {
  readonly kind: LimitKind
  /** Undefined where another request must end first. */
  readonly waitMs: number | undefined
}

/** What a limit lets through at a moment. */
export interface RateLevel {
  readonly kind: RateKind
  /** In a minute. */
  readonly limit: number
  readonly remaining: number
  /** Until as much is left as can be. */
  readonly resetMs: number
}

/** Of one limit, whatever its terms are at the time: what was taken of it, and what runs under it. */
export class LimitState {
  /** For each kind, when its bucket is full again. */
  readonly #fullAtMs: Record<RateKind, number> = {
    requests: 0,
    tokens: 0,
    'input-tokens': 0,
    'output-tokens': 0,
  }
  #running = 0

  /** What takes longest to come; undefined where nothing lacks. */
  findShortage(terms: RateTerms, inputTokens: number, nowMs: number): Shortage | undefined {
    let longest: Shortage | undefined
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

  take(terms: RateTerms, inputTokens: number, nowMs: number): void {
    this.#running += 1
    for (const bucket of bucketsOf(terms)) this.#add(bucket, takenOf(bucket.kind, inputTokens), nowMs)
  }

  addOutput(terms: RateTerms, outputTokens: number, nowMs: number): void {
    for (const bucket of bucketsOf(terms)) {
      const { kind } = bucket
      if (kind === 'tokens' || kind === 'output-tokens') this.#add(bucket, outputTokens, nowMs)
    }
  }

  release(): void {
    this.#running -= 1
  }

  levels(terms: RateTerms, nowMs: number): readonly RateLevel[] {
    return bucketsOf(terms).map((bucket) => {
      const { kind, limit } = bucket
      const fullAtMs = this.#fullAtMs[kind]
      const remaining = unitsIn(bucket, { fullAtMs, nowMs })
      return { kind, limit, remaining, resetMs: Math.max(0, Math.ceil(fullAtMs - nowMs)) }
    })
  }

  /** Whether it is as if it had never been used. */
  isIdle(nowMs: number): boolean {
    return this.#running === 0 && rateKinds.every((kind) => this.#fullAtMs[kind] <= nowMs)
  }

  #add(bucket: Parameters<typeof fullAfter>[0], units: number, nowMs: number): void {
    const { kind } = bucket
    if (units > 0) this.#fullAtMs[kind] = fullAfter(bucket, units, { fullAtMs: this.#fullAtMs[kind], nowMs })
  }
}

/** What must be there: of tokens at least one, since the output is unknown. */
function neededOf(kind: RateKind, inputTokens: number): number {
  return kind === 'tokens' || kind === 'input-tokens' ? Math.max(1, inputTokens) : 1
}

function takenOf(kind: RateKind, inputTokens: number): number {
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
