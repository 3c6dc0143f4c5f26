import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { CreditGrant } from '../credit-store.ts'

/**
 * A period between two changes of a credit's grants, with the amount that was spent or is held in it. The ledger adds
 * up the credit in these windows: the usable grants are the same throughout a window.
 */
export interface CreditPart {
  readonly startMs: number
  readonly used: number
}

export interface CreditBalance {
  /** The limit of the credit's budget: the amount used plus the amount that remains. */
  readonly limit: NanoDollars
  /** The amount that remains; negative if more was used than was granted. */
  readonly remaining: NanoDollars
  /** The amount that expired unused. */
  readonly lapsed: NanoDollars
  readonly nextLapse: { readonly atMs: number; readonly amount: NanoDollars } | undefined
}

/** The start of the part in which the budget counts holds now: the last time at which a grant was added or expired. */
export function findPartStart(grants: readonly CreditGrant[], nowMs: number): number {
  let startMs = 0
  for (const { atMs, expiresAtMs = 0 } of grants)
    for (const change of [atMs, expiresAtMs]) if (change <= nowMs && change > startMs) startMs = change
  return startMs
}

/**
 * Replays the grants and their use. Spending takes from the grant that expires first. The function is pure and its data
 * never changes, so every process gets the same result.
 */
export function balanceCredit(
  grants: readonly CreditGrant[],
  parts: readonly CreditPart[],
  nowMs: number,
): CreditBalance {
  const credit = new Credit()
  const events = [
    ...grants.map((grant) => ({ atMs: grant.atMs, apply: () => credit.add(grant) })),
    ...parts.map(({ startMs, used }) => ({ atMs: startMs, apply: () => credit.use(used) })),
  ].filter(({ atMs }) => atMs <= nowMs)
  // The sort is stable. Of events at the same time grants come first, so a grant can be used at once.
  for (const { atMs, apply } of events.sort((left, right) => left.atMs - right.atMs)) {
    credit.lapse(atMs)
    apply()
  }
  credit.lapse(nowMs)
  return credit.balance
}

interface GrantRemainder {
  /** Infinite where the grant never expires. */
  readonly expiresAtMs: number
  left: number
}

class Credit {
  /** The remainders, sorted by expiry: the first to expire is first. */
  readonly #remainders: GrantRemainder[] = []
  #used = 0
  #lapsed = 0
  /** The amount used beyond the grants. The next grant pays for it. */
  #debt = 0

  add({ amount, atMs, expiresAtMs = Number.POSITIVE_INFINITY }: CreditGrant): void {
    if (amount < 0) {
      this.#spend(-amount)
      return
    }
    if (expiresAtMs <= atMs) {
      this.#lapsed += amount
      return
    }
    const index = this.#remainders.findIndex((rest) => rest.expiresAtMs > expiresAtMs)
    this.#remainders.splice(index < 0 ? this.#remainders.length : index, 0, { expiresAtMs, left: amount })
    const debt = this.#debt
    this.#debt = 0
    this.#spend(debt)
  }

  use(amount: number): void {
    this.#used += amount
    this.#spend(amount)
  }

  lapse(nowMs: number): void {
    for (
      let first = this.#remainders[0];
      first !== undefined && first.expiresAtMs <= nowMs;
      first = this.#remainders[0]
    ) {
      this.#lapsed += first.left
      this.#remainders.shift()
    }
  }

  get balance(): CreditBalance {
    const left = this.#sumOf(this.#remainders)
    return {
      limit: brand<NanoDollars>(this.#used + left - this.#debt),
      remaining: brand<NanoDollars>(left - this.#debt),
      lapsed: brand<NanoDollars>(this.#lapsed),
      nextLapse: this.#nextLapse(),
    }
  }

  #nextLapse(): CreditBalance['nextLapse'] {
    const atMs = this.#remainders.find(({ left }) => left > 0)?.expiresAtMs
    if (atMs === undefined || atMs === Number.POSITIVE_INFINITY) return undefined
    const amount = this.#sumOf(this.#remainders.filter(({ expiresAtMs }) => expiresAtMs === atMs))
    return { atMs, amount: brand<NanoDollars>(amount) }
  }

  #sumOf(remainders: readonly GrantRemainder[]): number {
    return remainders.reduce((sum, { left }) => sum + left, 0)
  }

  #spend(amount: number): void {
    let missing = amount
    for (const remainder of this.#remainders) {
      const spent = Math.min(remainder.left, missing)
      remainder.left -= spent
      missing -= spent
    }
    this.#debt += missing
  }
}
