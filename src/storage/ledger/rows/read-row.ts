import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { NanoDollars } from '../../../canonical/money.ts'
import { noUsage, type Usage } from '../../../canonical/usage.ts'
import type { PriceTier } from '../../../catalog/prices/price.ts'
import { brand } from '../../../kit/brand.ts'
import type { LedgerRowId } from '../../../kit/random/ids.ts'
import type { NumberedRow } from '../../../metering/ledger-reader.ts'
import type { CountedAmount, CounterKey, LedgerFlags } from '../../../metering/ledger-row.ts'
import { readId } from '../../id-bytes.ts'
import { bytesOf, columnText, numberOf, orNull } from '../../sqlite/column-values.ts'
import { DamagedStoreError } from '../../sqlite/damaged-store-error.ts'
import { readCounted } from '../batch/pack-amounts.ts'
import {
  flagBits,
  stateCodes,
  tierCodes,
  type UsageClass,
  usageClasses,
  usageColumns,
} from '../ledger-tables.ts'
import { createWindowFinder } from '../load-ledger.ts'
import { parseToolCalls } from '../parse-tool-calls.ts'
import type { SubjectIndex } from './subject-index.ts'
import { readSubject } from './subject-row.ts'

type StoredRow = Readonly<Record<string, SQLOutputValue>>

/** Converts table rows to ledger rows. Throws where a row is damaged. */
export class RowReader {
  readonly #subjects: SubjectIndex
  readonly #findWindow: (id: number) => CounterKey

  constructor(database: DatabaseSync, subjects: SubjectIndex) {
    this.#subjects = subjects
    this.#findWindow = createWindowFinder(database)
  }

  read(row: StoredRow): NumberedRow {
    const number = numberOf(row['number'])
    const subject = this.#subjects.get(numberOf(row['subject']))
    if (subject === undefined) throw new DamagedStoreError(`row ${number} of the ledger has no subject`)
    const endedAtMs = numberOf(row['ended_at_ms'])
    return {
      number,
      row: {
        ...readSubject(subject, this.#subjects.tagsOf(numberOf(row['tags']))),
        id: brand<LedgerRowId>(readId(bytesOf(row['id']), 'row')),
        requestId: readId(bytesOf(row['request_id']), 'request'),
        attempt: numberOf(row['attempt']),
        startedAtMs: endedAtMs - numberOf(row['duration_ms']),
        endedAtMs,
        state: findName(stateCodes, numberOf(row['state'])),
        tier: findName<PriceTier>(tierCodes, numberOf(row['tier'])),
        usage: readUsage(row),
        cost: brand<NanoDollars>(numberOf(row['cost'])),
        charged: brand<NanoDollars>(numberOf(row['charged'])),
        counted: this.#readCounted(row),
        flags: readFlags(row),
      },
    }
  }

  #readCounted(row: StoredRow): readonly CountedAmount[] {
    const amounts: CountedAmount[] = []
    const sums = { cost: numberOf(row['cost']), charged: numberOf(row['charged']) }
    readCounted(orNull(bytesOf, row['counted']), sums, (window, amount) => {
      amounts.push({ ...this.#findWindow(window), amount: brand<NanoDollars>(amount) })
    })
    return amounts
  }
}

function readUsage(row: StoredRow): Usage {
  const { toolCalls: _toolCalls, isEstimated: _estimated, ...none } = noUsage
  const classes: Record<UsageClass, number> = { ...none }
  for (const name of usageClasses) classes[name] = numberOf(row[usageColumns[name]])
  const calls = orNull(columnText, row['tool_calls'])
  const toolCalls = calls === null ? {} : parseToolCalls(calls)
  return { ...classes, toolCalls, isEstimated: (numberOf(row['flags']) & flagBits.usageEstimated) !== 0 }
}

function readFlags(row: StoredRow): LedgerFlags {
  const flags = numberOf(row['flags'])
  const corrects = orNull(bytesOf, row['corrects'])
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
  throw new DamagedStoreError(`the ledger has a row with the unknown code ${code}`)
}
