import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nano } from '../../../test/support/ledger-row.ts'
import { brand } from '../../kit/brand.ts'
import type { CreditGrant, GrantId } from '../credit-store.ts'
import { balanceCredit, type CreditPart, findPartStart } from './credits.ts'

function grant(atMs: number, amount: number, expiresAtMs?: number): CreditGrant {
  return {
    id: brand<GrantId>(`grant_${atMs}_${amount}`),
    scope: { type: 'key', name: 'ci' },
    amount: nano(amount),
    reason: 'a test',
    author: 'ann',
    atMs,
    expiresAtMs,
    codeId: undefined,
  }
}

const part = (startMs: number, used: number): CreditPart => ({ startMs, used })

describe('a credit', () => {
  it('is the sum of its grants, however much of it was used', () => {
    const grants = [grant(1, 10), grant(5, 20)]
    expect(balanceCredit(grants, [], 9)).toMatchObject({ limit: 30, remaining: 30 })
    expect(balanceCredit(grants, [part(1, 4), part(5, 8)], 9)).toMatchObject({ limit: 30, remaining: 18 })
  })

  it('includes nothing of a future grant', () => {
    expect(balanceCredit([grant(5, 10)], [], 4)).toMatchObject({ limit: 0, remaining: 0 })
    expect(balanceCredit([grant(5, 10)], [], 5)).toMatchObject({ limit: 10 })
  })

  it('loses the unused part of a grant when the grant expires', () => {
    const grants = [grant(1, 10, 50), grant(1, 20)]
    const parts = [part(1, 4)]
    expect(balanceCredit(grants, parts, 49)).toMatchObject({ limit: 30, nextLapse: { atMs: 50, amount: 6 } })
    expect(balanceCredit(grants, parts, 50)).toEqual({
      limit: 24,
      remaining: 20,
      lapsed: 6,
      nextLapse: undefined,
    })
  })

  it('uses the grant that expires first, even if it came later', () => {
    const grants = [grant(1, 10), grant(2, 10, 50)]
    expect(balanceCredit(grants, [part(2, 8)], 50)).toMatchObject({ remaining: 10, lapsed: 2 })
  })

  it('does not charge earlier use to a later grant', () => {
    const grants = [grant(1, 10), grant(20, 10, 50)]
    expect(balanceCredit(grants, [part(1, 8)], 50)).toMatchObject({ remaining: 2, lapsed: 10 })
  })

  it('decreases by the amount that an operator takes back', () => {
    const grants = [grant(1, 10), grant(2, -4)]
    expect(balanceCredit(grants, [part(1, 3)], 2)).toMatchObject({ limit: 6, remaining: 3 })
  })

  it('is below zero after overuse, and the next grant pays for that', () => {
    const grants = [grant(1, 10), grant(20, 10, 50)]
    const parts = [part(1, 13)]
    expect(balanceCredit(grants, parts, 2)).toMatchObject({ limit: 10, remaining: -3 })
    expect(balanceCredit(grants, parts, 20)).toMatchObject({ limit: 20, remaining: 7 })
    expect(balanceCredit(grants, parts, 50)).toMatchObject({ limit: 13, remaining: 0, lapsed: 7 })
  })

  it('counts holds separately for each period between two changes of its grants', () => {
    const grants = [grant(10, 10, 50), grant(20, 10)]
    expect([9, 10, 19, 20, 49, 50, 99].map((nowMs) => findPartStart(grants, nowMs))).toEqual([
      0, 10, 10, 20, 20, 50, 50,
    ])
  })
})

type Event =
  | { readonly type: 'grant'; readonly amount: number; readonly lifeMs: number | undefined }
  | { readonly type: 'hold'; readonly amount: number; readonly settled: number }
  | { readonly type: 'settle'; readonly pick: number }
  | { readonly type: 'pass'; readonly ms: number }

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    type: fc.constant('grant' as const),
    amount: fc.integer({ min: -30, max: 100 }),
    lifeMs: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
  }),
  fc.record({ type: fc.constant('hold' as const), amount: fc.nat(60), settled: fc.nat(60) }),
  fc.record({ type: fc.constant('settle' as const), pick: fc.nat(20) }),
  fc.record({ type: fc.constant('pass' as const), ms: fc.nat(25) }),
)

interface Held {
  readonly startMs: number
  readonly amount: number
  readonly settled: number
}

/** A budget fed by grants, in which nothing is held that does not fit. */
class History {
  nowMs = 1
  readonly grants: CreditGrant[] = []
  readonly used = new Map<number, number>()
  readonly held: Held[] = []
  /** In the order of time. */
  readonly spends: { readonly atMs: number; readonly amount: number }[] = []

  get parts(): readonly CreditPart[] {
    return [...this.used].map(([startMs, used]) => ({ startMs, used }))
  }

  get balance() {
    return balanceCredit(this.grants, this.parts, this.nowMs)
  }

  apply(each: Event): void {
    if (each.type === 'pass') this.nowMs += each.ms
    else if (each.type === 'grant') {
      const { amount, lifeMs } = each
      // Nothing was held yet at the moment of a grant.
      this.nowMs += 1
      this.grants.push(grant(this.nowMs, amount, lifeMs === undefined ? undefined : this.nowMs + lifeMs))
    } else if (each.type === 'hold') this.#hold(each)
    else for (const held of this.held.splice(each.pick % (this.held.length + 1), 1)) this.#settle(held)
  }

  #hold({ amount, settled }: { readonly amount: number; readonly settled: number }): void {
    if (amount > this.balance.remaining) return
    const startMs = findPartStart(this.grants, this.nowMs)
    this.held.push({ startMs, amount, settled: Math.min(settled, amount) })
    this.#add(startMs, amount)
    this.spends.push({ atMs: this.nowMs, amount })
  }

  #settle({ startMs, amount, settled }: Held): void {
    this.#add(startMs, settled - amount)
  }

  #add(startMs: number, amount: number): void {
    this.used.set(startMs, (this.used.get(startMs) ?? 0) + amount)
  }
}

/** Millisecond by millisecond, with each spend taken from the live grant that ends first. */
function replay({ grants, spends, nowMs }: History): number {
  const rests: { left: number; readonly endsAtMs: number }[] = []
  let debt = 0
  const spend = (amount: number) => {
    debt += amount
    for (const rest of rests.toSorted((left, right) => left.endsAtMs - right.endsAtMs)) {
      const spent = Math.min(rest.left, debt)
      rest.left -= spent
      debt -= spent
    }
  }
  for (let atMs = 0; atMs <= nowMs; atMs += 1) {
    for (const rest of rests) if (rest.endsAtMs <= atMs) rest.left = 0
    for (const { amount, expiresAtMs = Number.POSITIVE_INFINITY } of grants.filter(
      (each) => each.atMs === atMs,
    )) {
      if (amount > 0 && expiresAtMs > atMs) rests.push({ left: amount, endsAtMs: expiresAtMs })
      spend(Math.max(0, -amount))
    }
    for (const { amount } of spends.filter((each) => each.atMs === atMs)) spend(amount)
  }
  return rests.reduce((sum, { left }) => sum + left, 0) - debt
}

describe('credits under any sequence of events', () => {
  const histories = fc.array(event, { maxLength: 50 })

  it('spent and held amounts never pass the limit, unless an operator takes credit back', () => {
    fc.assert(
      fc.property(histories, (events) => {
        const history = new History()
        for (const each of events) {
          if (each.type === 'grant' && each.amount < 0) continue
          history.apply(each)
          const { limit, remaining } = history.balance
          const used = history.parts.reduce((sum, each) => sum + each.used, 0)
          expect(remaining).toBe(limit - used)
          expect(remaining).toBeGreaterThanOrEqual(0)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('the balance by parts equals the balance by single amounts', () => {
    fc.assert(
      fc.property(histories, (events) => {
        const history = new History()
        for (const each of events) if (each.type !== 'settle') history.apply(each)
        expect(history.balance.remaining).toBe(replay(history))
      }),
      { numRuns: 1_000 },
    )
  })

  it('every granted amount is used, left, expired or taken back', () => {
    fc.assert(
      fc.property(histories, (events) => {
        const history = new History()
        for (const each of events) history.apply(each)
        const { limit, lapsed } = history.balance
        expect(limit + lapsed).toBe(history.grants.reduce((sum, { amount }) => sum + amount, 0))
      }),
      { numRuns: 1_000 },
    )
  })
})
