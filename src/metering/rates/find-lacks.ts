import type { RateLimit } from '../rate-limit.ts'
import type { LimitKind } from './limit-state.ts'
import type { AppliedLimit, LimitEntry } from './limit-table.ts'

/** A limit that does not let a request through now. */
export interface Lack<Waiter> {
  readonly limit: RateLimit
  readonly entry: LimitEntry<Waiter>
  readonly kind: LimitKind
  /** Undefined where others must end first, or have their turn. */
  readonly waitMs: number | undefined
}

export interface LackInput<Waiter> {
  readonly applied: readonly AppliedLimit<Waiter>[]
  readonly inputTokens: number
  /** Limits in whose queue the request has had its turn. At the others it goes behind those that wait. */
  readonly passed: ReadonlySet<LimitEntry<Waiter>>
}

/** Empty where the request can go. */
export function findLacks<Waiter>(input: LackInput<Waiter>, nowMs: number): readonly Lack<Waiter>[] {
  const lacks: Lack<Waiter>[] = []
  for (const { limit, entry } of input.applied) {
    const shortage = entry.state.findShortage(limit.terms, input.inputTokens, nowMs)
    if (shortage !== undefined) lacks.push({ limit, entry, ...shortage })
    else if (!entry.queue.isEmpty && !input.passed.has(entry))
      lacks.push({ limit, entry, kind: 'requests', waitMs: undefined })
  }
  return lacks
}

/** The one that is over last, as far as that is known. */
export function longestOf<Waiter>(lacks: readonly Lack<Waiter>[]): Lack<Waiter> | undefined {
  let longest = lacks[0]
  for (const lack of lacks) if ((lack.waitMs ?? 0) > (longest?.waitMs ?? 0)) longest = lack
  return longest
}
