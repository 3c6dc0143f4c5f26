import { CompiledQuery, type Insertable, type Kysely, type Transaction } from 'kysely'
import { writeId } from '../id-bytes.ts'
import { durationClassOf } from './duration-class.ts'
import { type PackedSummary, readPackedSummary } from './packed-request.ts'
import type { ReachTable, RequestLogTables, RequestTable, ShapeTable } from './request-log-tables.ts'

/** Writes packed rows, two lines each, as one transaction. */
export type AppendRequests = (lines: string) => Promise<void>

/** What the next row builds on. Read from the tables, since one process owns them, and again after a failure. */
interface Tail {
  nextId: number
  lastEndMs: number
  /** By their columns. */
  readonly shapeIds: Map<string, number>
}

/** SQLite takes 32,766 values in a statement; https://sqlite.org/limits.html, seen 2026-11-20. */
const ROWS_A_STATEMENT = 64
/** The most shapes held in memory; others are looked up. */
const MOST_SHAPES = 100_000

export interface RequestAppender {
  readonly append: AppendRequests
  /** Forgets the shapes, some of which were deleted. */
  forgetShapes(): void
}

export function createRequestAppender(database: Kysely<RequestLogTables>): RequestAppender {
  let tail: Tail | undefined
  return {
    async append(lines) {
      try {
        tail ??= await readTail(database)
        const known = tail
        await database.transaction().execute((transaction) => appendLines(transaction, lines, known))
      } catch (error) {
        tail = undefined
        throw error
      }
    },
    forgetShapes: () => tail?.shapeIds.clear(),
  }
}

async function readTail(database: Kysely<RequestLogTables>): Promise<Tail> {
  const newest = await database
    .selectFrom('requests')
    .select(['id', 'ended_at_ms'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  // A shape outlives its rows where it was the last one, so that no id is given twice.
  const reached = await database
    .selectFrom('reach')
    .select(({ fn }) => fn.max('last_id').as('last_id'))
    .executeTakeFirst()
  return {
    nextId: Math.max(newest?.id ?? 0, reached?.last_id ?? 0) + 1,
    lastEndMs: newest?.ended_at_ms ?? 0,
    shapeIds: new Map(),
  }
}

async function appendLines(
  transaction: Transaction<RequestLogTables>,
  lines: string,
  tail: Tail,
): Promise<void> {
  const texts = lines.split('\n')
  const rows: Insertable<RequestTable>[] = []
  const reached = new Map<number, Insertable<ReachTable>>()
  for (let index = 0; index + 1 < texts.length; index += 2) {
    const summary = readPackedSummary(texts[index] ?? '')
    const shape = describeShape(summary)
    const columns = Object.values(shape).join('\u0000')
    // Most are known, and a wait for each row would cost more than the rest.
    const shapeId = tail.shapeIds.get(columns) ?? (await addShape(transaction, { shape, columns, tail }))
    const id = tail.nextId
    tail.nextId += 1
    // Times are found by ids: a clock that was set back holds the log's time until it has caught up.
    tail.lastEndMs = Math.max(tail.lastEndMs, Math.floor(summary.endedAtMs))
    rows.push(
      writeRequest({ id, shapeId, endedAtMs: tail.lastEndMs, summary, detail: texts[index + 1] ?? '' }),
    )
    reached.set(shapeId, { shape_id: shapeId, first_id: reached.get(shapeId)?.first_id ?? id, last_id: id })
  }
  await insertAll(transaction, rows)
  await recordReach(transaction, [...reached.values()])
}

type Shape = Omit<Insertable<ShapeTable>, 'id'>

function describeShape({ totalMs, shape }: PackedSummary): Shape {
  return {
    key_id: shape.keyId ?? '',
    key_name: shape.keyName ?? '',
    group_name: shape.group ?? '',
    format: shape.format ?? '',
    model: shape.model ?? '',
    channel: shape.channel ?? '',
    upstream_model: shape.upstreamModel ?? '',
    status: shape.status,
    error: shape.error ?? '',
    is_stream: shape.isStream,
    duration_class: durationClassOf(totalMs),
  }
}

interface NewShape {
  readonly shape: Shape
  readonly columns: string
  readonly tail: Tail
}

async function addShape(
  transaction: Transaction<RequestLogTables>,
  { shape, columns, tail: { shapeIds } }: NewShape,
): Promise<number> {
  if (shapeIds.size >= MOST_SHAPES) shapeIds.clear()
  const id = await writeShape(transaction, shape)
  shapeIds.set(columns, id)
  return id
}

async function writeShape(transaction: Transaction<RequestLogTables>, row: Shape): Promise<number> {
  const { id } = await transaction
    .insertInto('shapes')
    .values(row)
    // Changes nothing; without it a row that is there would not be answered.
    .onConflict((conflict) => conflict.columns(shapeColumns).doUpdateSet({ status: row.status }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const shapeColumns = [
  'key_id',
  'key_name',
  'group_name',
  'format',
  'model',
  'channel',
  'upstream_model',
  'status',
  'error',
  'is_stream',
  'duration_class',
] as const

interface WrittenRequest {
  readonly id: number
  readonly shapeId: number
  readonly endedAtMs: number
  readonly summary: PackedSummary
  readonly detail: string
}

function writeRequest({ id, shapeId, endedAtMs, summary, detail }: WrittenRequest): Insertable<RequestTable> {
  return {
    id,
    shape_id: shapeId,
    ended_at_ms: endedAtMs,
    total_ms: summary.totalMs,
    first_content_ms: summary.firstContentMs,
    input_tokens: summary.inputTokens,
    output_tokens: summary.outputTokens,
    request_id: writeId(summary.requestId, 'request'),
    detail,
    cache_read_tokens: summary.cacheReadTokens,
    cache_write_tokens: summary.cacheWriteTokens,
    reasoning_tokens: summary.reasoningTokens,
    cost: summary.cost,
    charged: summary.charged,
  }
}

async function insertAll(
  transaction: Transaction<RequestLogTables>,
  rows: readonly Insertable<RequestTable>[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_A_STATEMENT) {
    const some = rows.slice(start, start + ROWS_A_STATEMENT)
    const sql = insertOf(transaction, some)
    await transaction.executeQuery(CompiledQuery.raw(sql, some.flatMap(Object.values)))
  }
}

/** By the number of rows: composing a statement costs more than running it. */
const inserts = new Map<number, string>()

/** Rows have the same columns in the same order, null where there is nothing. */
function insertOf(
  transaction: Transaction<RequestLogTables>,
  rows: readonly Insertable<RequestTable>[],
): string {
  const known = inserts.get(rows.length)
  if (known !== undefined) return known
  const { sql } = transaction.insertInto('requests').values(rows).compile()
  inserts.set(rows.length, sql)
  return sql
}

async function recordReach(
  transaction: Transaction<RequestLogTables>,
  rows: readonly Insertable<ReachTable>[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_A_STATEMENT) {
    await transaction
      .insertInto('reach')
      .values(rows.slice(start, start + ROWS_A_STATEMENT))
      .onConflict((conflict) =>
        conflict.column('shape_id').doUpdateSet(({ ref }) => ({ last_id: ref('excluded.last_id') })),
      )
      .execute()
  }
}
