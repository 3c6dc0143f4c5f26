import fc from 'fast-check'
import type { KeyId } from '../../src/access/key.ts'
import type { PriceVersionId } from '../../src/catalog/prices/price.ts'
import { brand } from '../../src/kit/brand.ts'
import type { LedgerRowId } from '../../src/kit/random/ids.ts'
import type { LedgerRow } from '../../src/metering/ledger-row.ts'
import type { UsageFilter } from '../../src/metering/usage-query.ts'
import { usageClasses } from '../../src/storage/ledger/ledger-tables.ts'
import { counted, createLedgerRow, LEDGER_START_MS, nano, rowId } from './ledger-row.ts'

const HOUR_MS = 3_600_000
const name = fc.constantFrom('a', 'b', 'c')
const maybeName = fc.option(name, { nil: undefined })

const money = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 5_000_000_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 2 ** 50, max: 2 ** 51 }) },
)
const tokens = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100_000 }))
const classes = fc.record(Object.fromEntries(usageClasses.map((each) => [each, tokens])))
const flag = fc.option(fc.constant(true as const), { nil: undefined, freq: 4 })

const rowParts = fc.record({
  keyId: name,
  keyName: name,
  userName: maybeName,
  group: maybeName,
  tags: fc.dictionary(fc.constantFrom('team', 'area', '__proto__'), name, { maxKeys: 2 }),
  model: name,
  channel: name,
  attempt: fc.integer({ min: 1, max: 3 }),
  state: fc.constantFrom('settled', 'estimated', 'void'),
  atMs: fc.integer({ min: -40 * HOUR_MS, max: 60 * HOUR_MS }),
  durationMs: fc.integer({ min: 0, max: 100_000 }),
  usage: classes,
  toolCalls: fc.dictionary(fc.constantFrom('web_search', 'x'), fc.integer({ min: 1, max: 9 }), {
    maxKeys: 2,
  }),
  isEstimated: fc.boolean(),
  cost: money,
  charged: money,
  others: fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 2 }),
  flags: fc.record(
    { clamped: flag, failed: flag, usageMissing: flag, recovered: flag, unpriced: flag, orphaned: flag },
    { noNullPrototype: true },
  ),
  isCorrection: fc.boolean(),
})

/**
 * Rows of a few names over four days, some of which correct the one before, and take back more than they add. Their ids are
 * their places in the list.
 */
export const ledgerRows: fc.Arbitrary<readonly LedgerRow[]> = fc
  .array(rowParts, { maxLength: 40 })
  .map((list) =>
    list.map((parts, index): LedgerRow => {
      const { keyId, atMs, durationMs, usage, toolCalls, isEstimated, flags, isCorrection, others, ...rest } =
        parts
      const endedAtMs = LEDGER_START_MS + atMs
      const corrects = isCorrection && index > 0 ? rowId(index) : undefined
      const [cost, charged] = [parts.cost, parts.charged].map((amount) => signed(amount, corrects))
      const classes = Object.entries(usage).map(([name, count]) => [name, signed(count, corrects)])
      const base = createLedgerRow(index + 1)
      return {
        ...base,
        ...rest,
        keyId: brand<KeyId>(keyId),
        priceVersion: parts.group === undefined ? undefined : brand<PriceVersionId>('p@1'),
        cost: nano(cost ?? 0),
        charged: nano(charged ?? 0),
        startedAtMs: endedAtMs - durationMs,
        endedAtMs,
        usage: { ...base.usage, ...Object.fromEntries(classes), toolCalls, isEstimated },
        counted: [
          counted(`key/${keyId}`, charged ?? 0, {
            windowStartMs: Math.floor(endedAtMs / HOUR_MS) * HOUR_MS,
          }),
          counted('all', cost ?? 0),
          ...others.map((amount) => counted('other', amount)),
        ],
        flags: {
          ...Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)),
          ...(corrects !== undefined && { corrects }),
        },
      }
    }),
  )

function signed(count: number, corrects: LedgerRowId | undefined): number {
  return corrects === undefined || count === 0 ? count : -count
}

/** The same rows with ids from a number on. */
export function renumberRows(rows: readonly LedgerRow[], from: number): readonly LedgerRow[] {
  return rows.map((row, index) => {
    const { corrects, ...flags } = row.flags
    const id = rowId(from + index)
    return {
      ...row,
      id,
      flags: corrects === undefined ? row.flags : { ...flags, corrects: rowId(from + index - 1) },
    }
  })
}

/** Whether a row has what the filter asks for beyond plain names. */
export function fitsOwners(
  row: LedgerRow,
  { keyIds, ownedBy }: Pick<UsageFilter, 'keyIds' | 'ownedBy'>,
): boolean {
  if (keyIds !== undefined && !keyIds.includes(row.keyId)) return false
  if (ownedBy === undefined) return true
  return row.userName === ownedBy.user || ownedBy.groups.some((group) => group === row.group)
}

/** A part of the names that rows have. */
export const subjectFilter = fc.record(
  {
    key: fc.constantFrom('a', 'b', 'nobody'),
    keyIds: fc.array(fc.constantFrom('a', 'b', 'nobody'), { maxLength: 2 }),
    ownedBy: fc.record({
      user: fc.constantFrom('a', 'b', 'nobody'),
      groups: fc.array(fc.constantFrom('a', 'c', 'nobody'), { maxLength: 2 }),
    }),
    user: name,
    group: name,
    model: name,
    channel: name,
    tags: fc.dictionary(fc.constantFrom('team', 'area'), name, { minKeys: 1, maxKeys: 1 }),
  },
  { requiredKeys: [], noNullPrototype: true },
)
