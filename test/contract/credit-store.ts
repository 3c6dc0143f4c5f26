import { describe, expect, test } from 'vitest'
import type { AuditRecord } from '../../src/canonical/audit.ts'
import type { NanoDollars } from '../../src/canonical/money.ts'
import { brand } from '../../src/kit/brand.ts'
import type { BudgetId } from '../../src/metering/budget.ts'
import type {
  BudgetChange,
  CodeId,
  CreditGrant,
  CreditStore,
  GrantId,
  RedemptionCode,
} from '../../src/metering/credit-store.ts'

const NOW_MS = Date.UTC(2026, 10, 23)
const nano = (amount: number) => brand<NanoDollars>(amount)
const record: AuditRecord = {
  author: 'tests',
  credential: 'session',
  address: '192.0.2.1',
  action: 'credits.grant',
  subject: 'x',
  details: [],
  atMs: NOW_MS,
}

function grantOf(id: string, more: Partial<CreditGrant> = {}): CreditGrant {
  return {
    id: brand<GrantId>(id),
    scope: { type: 'key', name: 'ci' },
    amount: nano(5_000_000_000),
    reason: 'a trial',
    author: 'tests',
    atMs: NOW_MS,
    expiresAtMs: undefined,
    codeId: undefined,
    ...more,
  }
}

function codeOf(id: string, more: Partial<RedemptionCode> = {}): RedemptionCode {
  return {
    id: brand<CodeId>(id),
    digest: `digest of ${id}`,
    hint: 'AB12',
    amount: nano(7),
    reason: 'a workshop',
    author: 'tests',
    atMs: NOW_MS,
    expiresAtMs: undefined,
    creditLifeMs: undefined,
    ...more,
  }
}

const redemption = (code: string, grant: string, atMs = NOW_MS) => ({
  digest: `digest of ${code}`,
  grant: {
    id: brand<GrantId>(grant),
    scope: { type: 'user', name: 'alice' } as const,
    author: 'alice',
    atMs,
  },
})

/** The contract of every store of credits. `open` gives an empty one, and how many records its audit has. */
export function describeCreditStore(
  engine: string,
  open: () => Promise<{ store: CreditStore; countAudit: () => Promise<number> }>,
): void {
  describe(`credits in ${engine}`, () => testGrants(open))
  describe(`redemption codes in ${engine}`, () => testCodes(open))
}

type Open = Parameters<typeof describeCreditStore>[1]

function testGrants(open: Open): void {
  test('come back as they were granted, the oldest first', async () => {
    const { store, countAudit } = await open()
    const grants = [
      grantOf('b', { expiresAtMs: NOW_MS - 1 }),
      grantOf('a', { scope: { type: 'tag', name: 'team', value: undefined }, amount: nano(-3) }),
      grantOf('c', { scope: { type: 'tag', name: 'team', value: 'search' } }),
      grantOf('d', { scope: { type: 'installation' }, codeId: brand<CodeId>('x') }),
    ]
    for (const grant of grants) await store.addGrant(grant, record)
    expect((await store.loadCredits(NOW_MS)).grants).toEqual(grants)
    expect(await countAudit()).toBe(4)
  })

  test('are written once', async () => {
    const { store, countAudit } = await open()
    await store.addGrant(grantOf('a'), record)
    await store.addGrant(grantOf('a', { amount: nano(1) }), record)
    expect((await store.loadCredits(NOW_MS)).grants).toEqual([grantOf('a')])
    expect(await countAudit()).toBe(1)
  })

  test('stand beside the changes of budgets that still have an effect', async () => {
    const { store, countAudit } = await open()
    const base = { budgetId: brand<BudgetId>('budget/all'), reason: 'r', author: 'tests', atMs: NOW_MS }
    const window = { counter: 'budget/all', windowStartMs: NOW_MS - 10, windowEndMs: NOW_MS + 10 }
    const changes: readonly BudgetChange[] = [
      { ...base, id: '1', type: 'raise', amount: nano(20), untilMs: NOW_MS + 10 },
      { ...base, id: '2', type: 'raise', amount: nano(-20), untilMs: undefined },
      { ...base, id: '3', type: 'reset', window, resetAmount: nano(4) },
      {
        ...base,
        id: '4',
        type: 'reset',
        window: { ...window, windowEndMs: undefined },
        resetAmount: nano(4),
      },
    ]
    await store.addChanges(changes.slice(0, 1), record)
    await store.addChanges(changes.slice(1), record)
    expect((await store.loadCredits(NOW_MS)).changes).toEqual(changes)
    expect((await store.loadCredits(NOW_MS + 10)).changes.map(({ id }) => id)).toEqual(['2', '4'])
    expect(await countAudit()).toBe(2)
  })

  test('give back what was spent of a window once, although two processes reset it at the same time', async () => {
    const { store, countAudit } = await open()
    const base = { budgetId: brand<BudgetId>('budget/all'), reason: 'r', author: 'tests', atMs: NOW_MS }
    const window = { counter: 'budget/all', windowStartMs: NOW_MS - 10, windowEndMs: undefined }
    const reset = (id: string, spent: number) =>
      store.addResets([{ ...base, id, type: 'reset', window, spent: nano(spent) }], record)
    const both = await Promise.all([reset('1', 10), reset('2', 10)])
    const { changes } = await store.loadCredits(NOW_MS)
    expect(both.flat()).toEqual(changes)
    expect(changes).toMatchObject([{ type: 'reset', window, resetAmount: 10 }])
    expect(await reset('3', 15)).toMatchObject([{ id: '3', resetAmount: 5 }])
    expect(await countAudit()).toBe(2)
  })
}

function testCodes(open: Open): void {
  test('give their credit once', async () => {
    const { store, countAudit } = await open()
    await store.addCodes([codeOf('1', { creditLifeMs: 1_000 }), codeOf('2')], record)
    const grant = grantOf('g', {
      scope: { type: 'user', name: 'alice' },
      amount: nano(7),
      reason: 'a workshop',
      author: 'alice',
      expiresAtMs: NOW_MS + 1_000,
      codeId: brand<CodeId>('1'),
    })
    expect(await store.redeem(redemption('1', 'g'), record)).toEqual({ type: 'redeemed', grant })
    expect(await store.redeem(redemption('1', 'h'), record)).toEqual({ type: 'refused', reason: 'redeemed' })
    expect((await store.loadCredits(NOW_MS)).grants).toEqual([grant])
    expect(await countAudit()).toBe(2)
  })

  test('give it to one of many who ask at once', async () => {
    const { store } = await open()
    await store.addCodes([codeOf('1')], record)
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.redeem(redemption('1', `g${index}`), record)),
    )
    expect(results.filter(({ type }) => type === 'redeemed')).toHaveLength(1)
    expect((await store.loadCredits(NOW_MS)).grants).toHaveLength(1)
  })

  test('give nothing where they are unknown, expired or revoked', async () => {
    const { store } = await open()
    await store.addCodes([codeOf('old', { expiresAtMs: NOW_MS }), codeOf('bad')], record)
    expect(await store.revokeCode(brand<CodeId>('bad'), record)).toBe(true)
    expect(await store.revokeCode(brand<CodeId>('bad'), record)).toBe(false)
    expect(await store.revokeCode(brand<CodeId>('none'), record)).toBe(false)
    const reasons = []
    for (const code of ['none', 'old', 'bad']) reasons.push(await store.redeem(redemption(code, 'g'), record))
    expect(reasons).toEqual([
      { type: 'refused', reason: 'unknown' },
      { type: 'refused', reason: 'expired' },
      { type: 'refused', reason: 'revoked' },
    ])
    expect((await store.loadCredits(NOW_MS)).grants).toEqual([])
  })

  test('are listed with what became of them, the newest first, page by page', async () => {
    const { store } = await open()
    const codes = ['1', '2', '3'].map((id) => codeOf(id))
    await store.addCodes(codes, record)
    await store.redeem(redemption('1', 'g'), record)
    await store.revokeCode(brand<CodeId>('2'), record)
    const first = await store.listCodes({ limit: 2 })
    const second = await store.listCodes({ limit: 2, before: first.next })
    expect([...first.codes, ...second.codes].map(({ id, state }) => [id, state])).toEqual([
      ['3', { type: 'open' }],
      ['2', { type: 'revoked', atMs: NOW_MS, author: 'tests' }],
      ['1', { type: 'redeemed', atMs: NOW_MS, grantId: 'g' }],
    ])
    expect(second.next).toBe(undefined)
  })
}
