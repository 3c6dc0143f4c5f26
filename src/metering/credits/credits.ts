import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { CreditGrant } from '../credit-store.ts'

/**
 * A span from one change of a credit's grants to the next, with what was used in it, spent and held together. These are
 * the windows in which the ledger adds the credit up: in each of them the same grants are there to be used.
 */
export interface CreditPart {
  readonly startMs: number
  readonly used: number
}

export interface CreditBalance {
  /** The limit of the budget that the credit is: what was used of it and what is left. */
  readonly limit: NanoDollars
  /** The rest; below zero where more was used than there was. */
  readonly remaining: NanoDollars
  /** The amount that nobody used in time. */
  readonly lapsed: NanoDollars
  readonly nextLapse: { readonly atMs: number; readonly amount: NanoDollars } | undefined
}

/**
 * The beginning of the part in which the budget counts what is held now: the last time at which a grant came or lapsed.
 */
export function findPartStart(grants: readonly CreditGrant[], nowMs: number): number {
  let startMs = 0
  for (const { atMs, expiresAtMs = 0 } of grants)
    for (const change of [atMs, expiresAtMs]) if (change <= nowMs && change > startMs) startMs = change
  return startMs
}

/**
 * Follows the grants through time: spending takes from the grant that lapses first. It is a pure function of data that
 * never changes, so that every process computes the same.
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
  // The order of what happens at once stays: a grant can be used as soon as it is there.
  for (const { atMs, apply } of events.sort((left, right) => left.atMs - right.atMs)) {
    credit.lapse(atMs)
    apply()
  }
  credit.lapse(nowMs)
  return credit.balance
}

interface GrantRemainder {
  /** Infinite where it never lapses. */
  readonly expiresAtMs: number
  left: number
}

class Credit {
  /** The remainder that lapses first comes first. */
  readonly #remainders: GrantRemainder[] = []
  #used = 0
  #lapsed = 0
  /** The use beyond what there was: the next grant pays for it. */
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
