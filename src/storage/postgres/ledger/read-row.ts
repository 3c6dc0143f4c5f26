import { z } from 'zod'
import type { KeyId } from '../../../access/key.ts'
import type { NanoDollars } from '../../../canonical/money.ts'
import { noUsage } from '../../../canonical/usage.ts'
import type { PriceVersionId } from '../../../catalog/prices/price.ts'
import { brand } from '../../../kit/brand.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import type { LedgerRowId } from '../../../kit/random/ids.ts'
import type { NumberedRow } from '../../../metering/ledger-reader.ts'
import { flagNames, type LedgerRow } from '../../../metering/ledger-row.ts'
import { stateCodes, tierCodes, usageClasses } from '../../ledger/ledger-tables.ts'
import { findName } from '../../ledger/rows/read-row.ts'
import { storeUnavailable } from '../../sqlite/store-fault.ts'
import { amountSchema } from './read-intent.ts'

const usageSchema = z.object({
  ...Object.fromEntries(usageClasses.map((name) => [name, z.number()])),
  toolCalls: z.record(z.string(), z.number()),
  isEstimated: z.boolean(),
})
const flagsSchema = z.partialRecord(z.enum([...flagNames.map(([name]) => name), 'corrects']), z.unknown())
const tagsSchema = z.record(z.string(), z.string())

type StoredRow = Readonly<Record<string, unknown>>

/** Parses a stored row. */
export function readRow(row: StoredRow): NumberedRow {
  const number = Number(row['number'])
  const counted = z.array(amountSchema).safeParse(parsed(row['counted']))
  const tags = tagsSchema.safeParse(row['tags'])
  if (!counted.success || !tags.success) throw storeUnavailable(`row ${number} of the ledger is damaged`)
  return {
    number,
    row: {
      id: brand<LedgerRowId>(String(row['id'])),
      requestId: String(row['request_id']),
      attempt: Number(row['attempt']),
      keyId: brand<KeyId>(String(row['key_id'])),
      keyName: String(row['key_name']),
      userName: textOf(row['user_id']),
      group: textOf(row['group_name']),
      tags: tags.data,
      model: String(row['model']),
      channel: String(row['channel']),
      upstreamModel: String(row['upstream_model']),
      priceVersion:
        row['price_version'] === null ? undefined : brand<PriceVersionId>(String(row['price_version'])),
      startedAtMs: Number(row['started_at_ms']),
      endedAtMs: Number(row['ended_at_ms']),
      state: nameIn(stateCodes, row['state']),
      tier: nameIn(tierCodes, row['tier']),
      usage: readUsage(row['usage'], number),
      cost: brand<NanoDollars>(Number(row['cost'])),
      charged: brand<NanoDollars>(Number(row['charged'])),
      counted: counted.data.map(({ windowEndMs, ...each }) => ({ ...each, windowEndMs })),
      flags: readFlags(row['flags'], textOf(row['corrects'])),
    },
  }
}

function readUsage(text: unknown, number: number): LedgerRow['usage'] {
  const { success, data } = usageSchema.safeParse(parsed(text))
  if (!success) throw storeUnavailable(`row ${number} of the ledger is damaged`)
  const classes: Record<(typeof usageClasses)[number], number> = { ...noUsage }
  const stored: Readonly<Record<string, unknown>> = data
  for (const name of usageClasses) classes[name] = Number(stored[name] ?? 0)
  return { ...classes, toolCalls: data.toolCalls, isEstimated: data.isEstimated }
}

function readFlags(text: unknown, corrects: string | undefined): LedgerRow['flags'] {
  const { data = {} } = flagsSchema.safeParse(parsed(text))
  const flags: LedgerRow['flags'] = Object.fromEntries(
    flagNames.flatMap(([name]) => (data[name] === true ? [[name, true] as const] : [])),
  )
  return { ...flags, ...(corrects !== undefined && { corrects: brand<LedgerRowId>(corrects) }) }
}

function nameIn<Name extends string>(codes: Readonly<Record<Name, number>>, name: unknown): Name {
  const code = Reflect.get(codes, String(name))
  return findName(codes, Number(code))
}

function parsed(text: unknown): unknown {
  return tryParseJson(String(text))
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
