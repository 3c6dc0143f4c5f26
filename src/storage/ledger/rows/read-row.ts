import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { NanoDollars } from '../../../canonical/money.ts'
import { noUsage, type Usage } from '../../../canonical/usage.ts'
import type { PriceTier } from '../../../catalog/prices/price.ts'
import { brand } from '../../../kit/values/brand.ts'
import type { NumberedRow } from '../../../metering/ledger-reader.ts'
import type { CountedAmount, CounterKey, LedgerFlags, LedgerRowId } from '../../../metering/ledger-row.ts'
import { readId } from '../../id-bytes.ts'
import { readCounted } from '../batch/pack-amounts.ts'
import {
  flagBits,
  stateCodes,
  tierCodes,
  type UsageClass,
  usageClasses,
  usageColumns,
  usageMeasures,
} from '../ledger-tables.ts'
import { createWindowFinder } from '../load-ledger.ts'
import type { SubjectIndex } from './subject-index.ts'
import { readSubject } from './subject-row.ts'

const bytes = z.instanceof(Uint8Array)
const rowSchema = z.object({
  number: z.number(),
  id: bytes,
  request_id: bytes,
  attempt: z.number(),
  subject: z.number(),
  tags: z.number(),
  state: z.number(),
  flags: z.number(),
  tier: z.number(),
  ended_at_ms: z.number(),
  duration_ms: z.number(),
  cost: z.number(),
  charged: z.number(),
  tool_calls: z.string().nullable(),
  corrects: bytes.nullable(),
  counted: bytes.nullable(),
})
type StoredRow = Readonly<z.output<typeof rowSchema>>

const classesSchema = z.object(Object.fromEntries(usageMeasures.map((name) => [name, z.number()])))
const callsSchema = z.record(z.string(), z.number())

/** Rows of the table as rows of the ledger. Fails where one is damaged. */
export class RowReader {
  readonly #subjects: SubjectIndex
  readonly #findWindow: (id: number) => CounterKey

  constructor(database: DatabaseSync, subjects: SubjectIndex) {
    this.#subjects = subjects
    this.#findWindow = createWindowFinder(database)
  }

  read(stored: unknown): NumberedRow {
    const row = rowSchema.parse(stored)
    const subject = this.#subjects.get(row.subject)
    if (subject === undefined) throw new Error(`row ${row.number} of the ledger has no subject`)
    return {
      number: row.number,
      row: {
        ...readSubject(subject, this.#subjects.tagsOf(row.tags)),
        id: brand<LedgerRowId>(readId(row.id, 'row')),
        requestId: readId(row.request_id, 'request'),
        attempt: row.attempt,
        startedAtMs: row.ended_at_ms - row.duration_ms,
        endedAtMs: row.ended_at_ms,
        state: findName(stateCodes, row.state),
        tier: findName<PriceTier>(tierCodes, row.tier),
        usage: readUsage(row, classesSchema.parse(stored)),
        cost: brand<NanoDollars>(row.cost),
        charged: brand<NanoDollars>(row.charged),
        counted: this.#readCounted(row),
        flags: readFlags(row),
      },
    }
  }

  #readCounted(row: StoredRow): readonly CountedAmount[] {
    const amounts: CountedAmount[] = []
    readCounted(row.counted, row, (window, amount) => {
      amounts.push({ ...this.#findWindow(window), amount: brand<NanoDollars>(amount) })
    })
    return amounts
  }
}

function readUsage({ flags, tool_calls }: StoredRow, stored: Readonly<Record<string, number>>): Usage {
  const { toolCalls: _toolCalls, estimated: _estimated, ...none } = noUsage
  const classes: Record<UsageClass, number> = { ...none }
  for (const name of usageClasses) classes[name] = stored[usageColumns[name]] ?? 0
  const toolCalls = tool_calls === null ? {} : callsSchema.parse(JSON.parse(tool_calls))
  return { ...classes, toolCalls, estimated: (flags & flagBits.usageEstimated) !== 0 }
}

function readFlags({ flags, corrects }: StoredRow): LedgerFlags {
  return {
    ...((flags & flagBits.clamped) !== 0 && { clamped: true }),
    ...((flags & flagBits.failed) !== 0 && { failed: true }),
    ...((flags & flagBits.usageMissing) !== 0 && { usageMissing: true }),
    ...((flags & flagBits.recovered) !== 0 && { recovered: true }),
    ...((flags & flagBits.unpriced) !== 0 && { unpriced: true }),
    ...((flags & flagBits.orphaned) !== 0 && { orphaned: true }),
    ...(corrects !== null && { corrects: brand<LedgerRowId>(readId(corrects, 'row')) }),
  }
}

export function findName<Name extends string>(codes: Readonly<Record<Name, number>>, code: number): Name {
  for (const name in codes) if (codes[name] === code) return name
  throw new Error(`the ledger has a row with the unknown code ${code}`)
}
