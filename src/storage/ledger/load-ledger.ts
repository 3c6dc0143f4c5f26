import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { LedgerRowId } from '../../kit/random/ids.ts'
import type { CounterKey, HeldAmount, UnseenCost } from '../../metering/ledger-row.ts'
import type { CounterState, LedgerState, OpenIntent } from '../../metering/ledger-store.ts'
import { readId } from '../id-bytes.ts'
import { bigintOf, bytesOf, columnText, numberOf, orNull } from '../sqlite/column-values.ts'
import { DamagedStoreError } from '../sqlite/damaged-store-error.ts'
import type { WindowHold } from './batch/pack-amounts.ts'
import { subjectColumns } from './ledger-tables.ts'
import { parseTagSet, readSubject, type SubjectRow } from './rows/subject-row.ts'

/** Loads the state that a process starts from: current windows, and attempts without a row. */
export function loadLedger(database: DatabaseSync, nowMs: number): LedgerState {
  return { counters: readCounters(database, nowMs), openIntents: readOpenIntents(database) }
}

const selectWindows = `select windows.id, counters.name as counter, start_ms, end_ms, spent
  from windows join counters on counters.id = windows.counter`

function readCounters(database: DatabaseSync, nowMs: number): readonly CounterState[] {
  const open = [
    database.prepare(`${selectWindows} where end_ms > ?`),
    database.prepare(`${selectWindows} where end_ms is null and start_ms <= ?`),
  ]
  return open.flatMap((statement) => {
    statement.setReadBigInts(true)
    return statement.all(nowMs).map((row) => ({
      counter: columnText(row['counter']),
      windowStartMs: Number(bigintOf(row['start_ms'])),
      windowEndMs: row['end_ms'] === null ? undefined : Number(bigintOf(row['end_ms'])),
      spent: readMoney(bigintOf(row['spent'])),
    }))
  })
}

/** Reads a sum, capped at the largest number that is exact. No limit is that high. */
function readMoney(sum: bigint): NanoDollars {
  return brand<NanoDollars>(Number(sum > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : sum))
}

const selectSubject = subjectColumns
  .map((field) => `(select name from names where id = subjects.${field}) as ${field}`)
  .join(', ')

function readOpenIntents(database: DatabaseSync): readonly OpenIntent[] {
  const rows = database
    .prepare(
      `select ${selectSubject}, tag_sets.tags, open_intents.id, request_id, attempt, started_at_ms, expires_at_ms, input_tokens,
         multiplier_ppm, output_tokens, held, open_intents.intent -> 10 as unseen
       from open_intents join subjects on subjects.id = open_intents.subject
         left join tag_sets on tag_sets.id = open_intents.tags order by started_at_ms, open_intents.id`,
    )
    .all()
  const findWindow = createWindowFinder(database)
  return rows.map((row) => ({
    outputTokens: numberOf(row['output_tokens']),
    intent: {
      ...readSubject(readNames(row), parseTagSet(orNull(columnText, row['tags']) ?? '[]')),
      id: brand<LedgerRowId>(readId(bytesOf(row['id']), 'row')),
      requestId: readId(bytesOf(row['request_id']), 'request'),
      attempt: numberOf(row['attempt']),
      startedAtMs: numberOf(row['started_at_ms']),
      expiresAtMs: numberOf(row['expires_at_ms']),
      inputTokens: numberOf(row['input_tokens']),
      multiplierPpm: numberOf(row['multiplier_ppm']),
      held: findHeld(columnText(row['held']), findWindow),
      unseen: parseUnseen(orNull(columnText, row['unseen'])),
    },
  }))
}

function readNames(row: Readonly<Record<string, SQLOutputValue>>): SubjectRow {
  return {
    key_id: columnText(row['key_id']),
    key_name: columnText(row['key_name']),
    user_id: columnText(row['user_id']),
    group_name: columnText(row['group_name']),
    model: columnText(row['model']),
    channel: columnText(row['channel']),
    upstream_model: columnText(row['upstream_model']),
    price_version: columnText(row['price_version']),
  }
}

function findHeld(held: string, findWindow: (id: number) => CounterKey): readonly HeldAmount[] {
  return parseHeld(held).map(({ window, amount, counts }) => ({
    ...findWindow(window),
    amount: brand<NanoDollars>(amount),
    counts,
  }))
}

/** The amounts that an intent holds, as the batch writer wrote them. */
function parseHeld(text: string): readonly WindowHold[] {
  const held: unknown = JSON.parse(text)
  if (!Array.isArray(held)) throw new DamagedStoreError('an intent of the ledger holds no list of amounts')
  return held.map((entry: unknown) => {
    const [window, amount, counts]: unknown[] = Array.isArray(entry) ? entry : []
    return {
      window: numberOf(window),
      amount: numberOf(amount),
      counts: counts === 'cost' ? 'cost' : 'charged',
    }
  })
}

/** The cost of a call whose usage is not visible, as the batch writer wrote it. */
function parseUnseen(text: string | null): UnseenCost | undefined {
  if (text === null) return undefined
  const unseen: unknown = JSON.parse(text)
  const [cost, charged, isAhead]: unknown[] = Array.isArray(unseen) ? unseen : []
  return {
    cost: brand<NanoDollars>(numberOf(cost)),
    charged: brand<NanoDollars>(numberOf(charged)),
    isAhead: isAhead === true,
  }
}

export function createWindowFinder(database: DatabaseSync): (id: number) => CounterKey {
  const statement = database.prepare(
    `select counters.name as counter, start_ms, end_ms
     from windows join counters on counters.id = windows.counter where windows.id = ?`,
  )
  return (id) => {
    const row = statement.get(id) ?? {}
    return {
      counter: columnText(row['counter']),
      windowStartMs: numberOf(row['start_ms']),
      windowEndMs: orNull(numberOf, row['end_ms']) ?? undefined,
    }
  }
}
