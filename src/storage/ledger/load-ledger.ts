import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/values/brand.ts'
import type { CounterKey, HeldAmount, LedgerRowId } from '../../metering/ledger-row.ts'
import type { CounterState, LedgerState, OpenIntent } from '../../metering/ledger-store.ts'
import { readId } from '../id-bytes.ts'
import { readHeld } from './batch/pack-amounts.ts'
import { subjectFields } from './ledger-tables.ts'
import { readSubject, readTags } from './rows/subject-row.ts'

/** What a process starts from: windows that are not over, and attempts without a row. */
export function loadLedger(database: DatabaseSync, nowMs: number): LedgerState {
  return { counters: readCounters(database, nowMs), openIntents: readOpenIntents(database) }
}

const windowSchema = z.object({
  id: z.bigint().transform(Number),
  counter: z.string(),
  start_ms: z.bigint().transform(Number),
  end_ms: z.bigint().transform(Number).nullable(),
  spent: z.bigint().transform(readMoney),
})

const selectWindows = `select windows.id, counters.name as counter, start_ms, end_ms, spent
  from windows join counters on counters.id = windows.counter`

function readCounters(database: DatabaseSync, nowMs: number): readonly CounterState[] {
  const open = [
    database.prepare(`${selectWindows} where end_ms > ?`),
    database.prepare(`${selectWindows} where end_ms is null and start_ms <= ?`),
  ]
  return open.flatMap((statement) => {
    statement.setReadBigInts(true)
    return z
      .array(windowSchema)
      .parse(statement.all(nowMs))
      .map(({ spent, ...window }) => ({ ...readWindow(window), spent }))
  })
}

interface WindowRow {
  readonly counter: string
  readonly start_ms: number
  readonly end_ms: number | null
}

function readWindow({ counter, start_ms, end_ms }: WindowRow): CounterKey {
  return { counter, windowStartMs: start_ms, windowEndMs: end_ms ?? undefined }
}

/** No limit is as high as what a number cannot hold. */
function readMoney(sum: bigint): NanoDollars {
  return brand<NanoDollars>(Number(sum > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : sum))
}

const bytes = z.instanceof(Uint8Array)
const subjectSchema = z.object({
  key_id: z.string(),
  key_name: z.string(),
  user_id: z.string(),
  group_name: z.string(),
  model: z.string(),
  channel: z.string(),
  upstream_model: z.string(),
  price_version: z.string(),
  tags: z.string().nullable(),
})
const selectSubject = subjectFields
  .map((field) => `(select name from names where id = subjects.${field}) as ${field}`)
  .join(', ')

const intentSchema = subjectSchema.extend({
  id: bytes,
  request_id: bytes,
  attempt: z.number(),
  started_at_ms: z.number(),
  expires_at_ms: z.number(),
  input_tokens: z.number(),
  multiplier_ppm: z.number(),
  output_tokens: z.number(),
  held: bytes.nullable(),
})

function readOpenIntents(database: DatabaseSync): readonly OpenIntent[] {
  const rows = database
    .prepare(
      `select ${selectSubject}, tag_sets.tags, intents.id, request_id, attempt, started_at_ms, expires_at_ms, input_tokens,
         multiplier_ppm, output_tokens, held
       from intents join subjects on subjects.id = intents.subject
         left join tag_sets on tag_sets.id = intents.tags order by started_at_ms, intents.id`,
    )
    .all()
  const findWindow = createWindowFinder(database)
  return z
    .array(intentSchema)
    .parse(rows)
    .map((row) => ({
      outputTokens: row.output_tokens,
      intent: {
        ...readSubject(row, row.tags === null ? {} : readTags(row.tags)),
        id: brand<LedgerRowId>(readId(row.id, 'row')),
        requestId: readId(row.request_id, 'request'),
        attempt: row.attempt,
        startedAtMs: row.started_at_ms,
        expiresAtMs: row.expires_at_ms,
        inputTokens: row.input_tokens,
        multiplierPpm: row.multiplier_ppm,
        held: findHeld(row.held, findWindow),
      },
    }))
}

function findHeld(held: Uint8Array | null, findWindow: (id: number) => CounterKey): readonly HeldAmount[] {
  return readHeld(held).map(({ window, amount, counts }) => ({
    ...findWindow(window),
    amount: brand<NanoDollars>(amount),
    counts,
  }))
}

const keySchema = z.object({ counter: z.string(), start_ms: z.number(), end_ms: z.number().nullable() })

/** The window of an id in the table. */
export function createWindowFinder(database: DatabaseSync): (id: number) => CounterKey {
  const statement = database.prepare(
    `select counters.name as counter, start_ms, end_ms
     from windows join counters on counters.id = windows.counter where windows.id = ?`,
  )
  return (id) => readWindow(keySchema.parse(statement.get(id)))
}
