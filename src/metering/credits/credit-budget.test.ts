import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openCaller } from '../../../test/support/key-terms.ts'
import { nano } from '../../../test/support/ledger-row.ts'
import { brand } from '../../kit/brand.ts'
import { createSeededRandom } from '../../kit/random/seeded-random.ts'
import type { BudgetScope } from '../budget.ts'
import { BudgetMeter } from '../budgets/budget-meter.ts'
import type { CreditGrant, GrantId } from '../credit-store.ts'
import type { CountedAmount } from '../ledger-row.ts'
import type { Hold, WorstCase } from '../meter.ts'
import { CreditBudgets } from './credit-budget.ts'

const caller = { ...openCaller, user: 'alice', group: 'search' }
const ofKey: BudgetScope = { type: 'key', name: caller.keyId }

function grant(atMs: number, amount: number, more: Partial<CreditGrant> = {}): CreditGrant {
  return {
    id: brand<GrantId>(`grant_${atMs}_${amount}`),
    scope: ofKey,
    amount: nano(amount),
    reason: 'a test',
    author: 'ann',
    atMs,
    expiresAtMs: undefined,
    codeId: undefined,
    ...more,
  }
}

/** Costs as much as it may put out, in nano-dollars. */
const worstOf = (amount: number): WorstCase => ({
  fixed: nano(amount),
  outputRate: nano(0),
  maxOutputTokens: 0,
  minOutput: 0,
  canClamp: false,
  multiplierPpm: 1_000_000,
})

function open(...grants: readonly CreditGrant[]) {
  const [meter, credits] = [new BudgetMeter(), new CreditBudgets(grants)]
  const hold = (amount: number, atMs: number): Hold | undefined => {
    const result = meter.hold({ budgets: credits.ofCaller(caller), worst: worstOf(amount) }, atMs)
    return result.type === 'held' ? result.hold : undefined
  }
  const spend = (amount: number, atMs: number) => {
    const held = hold(amount, atMs)
    return held?.settle({ cost: nano(amount), charged: nano(amount) }) ?? ('refused' as const)
  }
  const remaining = (atMs: number) => meter.balance(credits.of(ofKey), atMs).remaining
  return { meter, credits, hold, spend, remaining }
}

describe('a caller', () => {
  it('without any credit has no credit limit', () => {
    expect(new CreditBudgets().ofCaller(caller)).toEqual([])
    expect(
      new CreditBudgets([grant(1, 5, { scope: { type: 'key', name: 'key_2' } })]).ofCaller(caller),
    ).toEqual([])
  })

  it('has the credits of its key, its user and its group', () => {
    const scopes = [ofKey, { type: 'user', name: 'alice' }, { type: 'group', name: 'search' }] as const
    const credits = new CreditBudgets(scopes.map((scope) => grant(1, 5, { scope })))
    expect(credits.ofCaller(caller).map(({ budget }) => budget.id)).toEqual([
      `credit/key:${caller.keyId}`,
      'credit/user:alice',
      'credit/group:search',
    ])
    expect(credits.ofCaller(openCaller)).toHaveLength(1)
  })
})

describe('a credit', () => {
  it('can be spent completely, and held amounts reduce it', () => {
    const { hold, spend, remaining } = open(grant(1, 100))
    const first = hold(60, 2)
    expect(spend(60, 2)).toBe('refused')
    expect(remaining(2)).toBe(40)
    first?.settle({ cost: nano(10), charged: nano(10) })
    expect(spend(90, 3)).not.toBe('refused')
    expect([remaining(4), spend(1, 4)]).toEqual([0, 'refused'])
  })

  it('increases with a grant, from the next request on', () => {
    const { credits, spend, remaining } = open(grant(1, 10))
    expect(spend(11, 2)).toBe('refused')
    credits.add(grant(3, 5))
    expect(spend(11, 3)).not.toBe('refused')
    expect(remaining(3)).toBe(4)
  })

  it('expires, except for its held amounts', () => {
    const { hold, spend, remaining } = open(grant(1, 100, { expiresAtMs: 50 }))
    const first = hold(60, 2)
    expect(remaining(49)).toBe(40)
    expect([remaining(50), spend(1, 50)]).toEqual([0, 'refused'])
    first?.settle({ cost: nano(60), charged: nano(60) })
    expect(remaining(51)).toBe(0)
  })

  it('has the same balance after a restart, from the amounts in the ledger', () => {
    const grants = [grant(1, 100, { expiresAtMs: 50 }), grant(20, 30)]
    const { spend, remaining, credits } = open(...grants)
    const counted = [spend(10, 2), spend(20, 30), spend(5, 60)].flatMap((each) =>
      each === 'refused' ? [] : each,
    )
    const next = new BudgetMeter()
    next.load(sumByWindow(counted))
    expect(next.balance(credits.of(ofKey), 70)).toMatchObject({ remaining: remaining(70) })
    expect(remaining(70)).toBe(25)
  })

  it('is never overshot, and has the same balance after a restart, under any sequence of events', () => {
    const event = fc.record({
      kind: fc.constantFrom('grant', 'hold', 'settle'),
      amount: fc.integer({ min: 1, max: 50 }),
      life: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
      pause: fc.integer({ min: 0, max: 10 }),
    })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), fc.nat(), (events, seed) => {
        const random = createSeededRandom(seed)
        const { meter, credits, hold } = open(grant(0, 20))
        const all = [grant(0, 20)]
        const open_: { readonly hold: Hold; readonly amount: number }[] = []
        const counted: CountedAmount[] = []
        let nowMs = 1
        for (const { kind, amount, life, pause } of events) {
          nowMs += pause
          if (kind === 'grant') {
            const made = grant(nowMs, amount, { expiresAtMs: life === undefined ? undefined : nowMs + life })
            all.push(made)
            credits.add(made)
          } else if (kind === 'hold') {
            const { remaining } = meter.balance(credits.of(ofKey), nowMs)
            const held = hold(amount, nowMs)
            expect(held !== undefined).toBe(amount <= remaining)
            if (held !== undefined) open_.push({ hold: held, amount })
          } else {
            const one = open_.splice(Math.floor(random.fraction() * open_.length), 1)[0]
            const actual = nano(Math.floor(random.fraction() * ((one?.amount ?? 0) + 1)))
            counted.push(...(one?.hold.settle({ cost: actual, charged: actual }) ?? []))
          }
          expect(meter.balance(credits.of(ofKey), nowMs).remaining).toBeGreaterThanOrEqual(0)
        }
        for (const { hold: rest, amount } of open_)
          counted.push(...rest.settle({ cost: nano(amount), charged: nano(amount) }))
        const next = new BudgetMeter()
        next.load(sumByWindow(counted))
        const again = new CreditBudgets(all)
        expect(next.balance(again.of(ofKey), nowMs)).toEqual(meter.balance(credits.of(ofKey), nowMs))
        const status = meter.status({ budget: credits.of(ofKey) }, nowMs)
        expect(status.remaining).toBe(meter.balance(credits.of(ofKey), nowMs).remaining)
      }),
      { numRuns: 1_000 },
    )
  })
})

function sumByWindow(counted: readonly CountedAmount[]) {
  const groups = Map.groupBy(counted, ({ windowStartMs }) => windowStartMs)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { amount: _, ...key } = first
    return [{ ...key, spent: nano(group.reduce((sum, { amount }) => sum + amount, 0)) }]
  })
}
