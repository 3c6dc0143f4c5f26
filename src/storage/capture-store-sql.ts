import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { CaptureQuery, CaptureStore, CaptureSummary, StoredCapture } from '../capture/capture-store.ts'
import type { Migration } from './sqlite/migrations.ts'

export interface CaptureTable {
  request_id: string
  key_id: string
  key_name: string
  user_name: string | null
  group_name: string | null
  model: string | null
  operation: string
  status: number
  at_ms: number
  has_prompt: number
  has_answer: number
  bytes: number
  /** Compressed and sealed. */
  content: Uint8Array
}

export interface CaptureDatabase {
  captures: CaptureTable
}

export const captureMigrations: readonly Migration[] = [
  {
    name: 'captures',
    statements: [
      `create table captures (
        request_id text primary key,
        key_id text not null,
        key_name text not null,
        user_name text,
        group_name text,
        model text,
        operation text not null,
        status integer not null,
        at_ms integer not null,
        has_prompt integer not null,
        has_answer integer not null,
        bytes integer not null,
        content blob not null
      ) strict`,
      'create index captures_by_age on captures (at_ms, request_id)',
      'create index captures_by_key on captures (key_id, at_ms, request_id)',
    ],
  },
]

/** The size of a row besides its content. */
const ROW_BYTES = 512

export function createSqlCaptureStore(
  database: Kysely<CaptureDatabase>,
  close: () => Promise<void>,
): CaptureStore {
  return {
    ...createReading(database),
    ...createDeleting(database),
    close,
    async append(captures) {
      await database.transaction().execute(async (transaction) => {
        for (const capture of captures)
          await transaction
            .insertInto('captures')
            .values(writeRow(capture))
            .onConflict((conflict) =>
              conflict.column('request_id').doUpdateSet((row) => ({
                status: row.ref('excluded.status'),
                at_ms: row.ref('excluded.at_ms'),
                has_prompt: row.ref('excluded.has_prompt'),
                has_answer: row.ref('excluded.has_answer'),
                bytes: row.ref('excluded.bytes'),
                content: row.ref('excluded.content'),
              })),
            )
            .execute()
      })
    },
  }
}

type Reading = Pick<CaptureStore, 'page' | 'find' | 'findCaptured' | 'totals'>

function createReading(database: Kysely<CaptureDatabase>): Reading {
  return {
    async page(query) {
      const rows = await select(database, query)
        .orderBy('at_ms', 'desc')
        .orderBy('request_id', 'desc')
        .limit(query.limit + 1)
        .execute()
      return { captures: rows.slice(0, query.limit).map(readSummary), hasMore: rows.length > query.limit }
    },
    async find(requestId) {
      const row = await database
        .selectFrom('captures')
        .selectAll()
        .where('request_id', '=', requestId)
        .executeTakeFirst()
      return row === undefined ? undefined : { ...readSummary(row), content: row.content }
    },
    async findCaptured(requestIds) {
      if (requestIds.length === 0) return new Set()
      const rows = await database
        .selectFrom('captures')
        .select('request_id')
        .where('request_id', 'in', [...requestIds])
        .execute()
      return new Set(rows.map((row) => row.request_id))
    },
    async totals() {
      const row = await database
        .selectFrom('captures')
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum<number | null>('bytes').as('bytes')])
        .executeTakeFirst()
      return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) }
    },
  }
}

type Deleting = Pick<CaptureStore, 'delete' | 'deleteOfKey' | 'deleteAll' | 'prune'>

function createDeleting(database: Kysely<CaptureDatabase>): Deleting {
  return {
    async delete(requestId) {
      const [result] = await database.deleteFrom('captures').where('request_id', '=', requestId).execute()
      return (result?.numDeletedRows ?? 0n) > 0n
    },
    async deleteOfKey(key) {
      const [result] = await database
        .deleteFrom('captures')
        .where((term) => term.or([term('key_id', '=', key), term('key_name', '=', key)]))
        .execute()
      return Number(result?.numDeletedRows ?? 0n)
    },
    async deleteAll() {
      await database.deleteFrom('captures').execute()
    },
    async prune({ endedBeforeMs, maxBytes }) {
      await database.deleteFrom('captures').where('at_ms', '<', endedBeforeMs).execute()
      const over = sql<number>`(select request_id from (select request_id, sum(bytes) over
        (order by at_ms desc, request_id desc) as running from captures) as sums where running > ${maxBytes})`
      await database.deleteFrom('captures').where(sql<boolean>`request_id in ${over}`).execute()
    },
  }
}

const summaryColumns = [
  'request_id',
  'key_id',
  'key_name',
  'user_name',
  'group_name',
  'model',
  'operation',
  'status',
  'at_ms',
  'has_prompt',
  'has_answer',
] as const

function select(database: Kysely<CaptureDatabase>, query: CaptureQuery) {
  const { sinceMs, untilMs, after, ...facts } = query
  let rows = selectOf(database, facts)
  if (sinceMs !== undefined) rows = rows.where('at_ms', '>=', sinceMs)
  if (untilMs !== undefined) rows = rows.where('at_ms', '<=', untilMs)
  if (after === undefined) return rows
  const { atMs, requestId } = after
  return rows.where((term) =>
    term.or([
      term('at_ms', '<', atMs),
      term.and([term('at_ms', '=', atMs), term('request_id', '<', requestId)]),
    ]),
  )
}

type Facts = Pick<CaptureQuery, 'key' | 'user' | 'group' | 'model' | 'status'>

function selectOf(database: Kysely<CaptureDatabase>, { key, user, group, model, status }: Facts) {
  let rows = database.selectFrom('captures').select(summaryColumns)
  if (key !== undefined)
    rows = rows.where((term) => term.or([term('key_id', '=', key), term('key_name', '=', key)]))
  if (user !== undefined) rows = rows.where('user_name', '=', user)
  if (group !== undefined) rows = rows.where('group_name', '=', group)
  if (model !== undefined) rows = rows.where('model', '=', model)
  if (status !== undefined) rows = rows.where('status', '>=', status[0]).where('status', '<=', status[1])
  return rows
}

function writeRow(capture: StoredCapture): Insertable<CaptureTable> {
  return {
    request_id: capture.requestId,
    key_id: capture.keyId,
    key_name: capture.keyName,
    user_name: capture.user ?? null,
    group_name: capture.group ?? null,
    model: capture.model ?? null,
    operation: capture.operation,
    status: capture.status,
    at_ms: Math.round(capture.atMs),
    has_prompt: capture.hasPrompt ? 1 : 0,
    has_answer: capture.hasAnswer ? 1 : 0,
    bytes: ROW_BYTES + capture.content.length,
    content: capture.content,
  }
}

function readSummary(row: Pick<Selectable<CaptureTable>, (typeof summaryColumns)[number]>): CaptureSummary {
  return {
    requestId: row.request_id,
    keyId: row.key_id,
    keyName: row.key_name,
    user: row.user_name ?? undefined,
    group: row.group_name ?? undefined,
    model: row.model ?? undefined,
    operation: row.operation,
    status: row.status,
    atMs: row.at_ms,
    hasPrompt: row.has_prompt === 1,
    hasAnswer: row.has_answer === 1,
  }
}
