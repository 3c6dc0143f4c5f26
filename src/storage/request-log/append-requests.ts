import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { writeId } from '../id-bytes.ts'
import { numberOf } from '../sqlite/column-values.ts'
import { inTransaction } from '../sqlite/in-transaction.ts'
import { durationClassOf } from './duration-class.ts'
import { type PackedSummary, readPackedSummary } from './packed-summary.ts'
import { shapeColumns } from './shape-columns.ts'

export interface RequestAppender {
  /** Writes packed rows, two lines each, as one transaction. */
  append(lines: string): void
  /** Forgets the cached shapes, since some of them were deleted. */
  forgetShapes(): void
}

/**
 * The state that the next row continues from. It is read from the tables once, since only one process writes them,
 * and again after a failure.
 */
interface Tail {
  nextId: number
  lastEndMs: number
  /** The IDs of shapes by their columns. */
  readonly shapeIds: Map<string, number>
}

/** The maximum number of shapes cached in memory. Other shapes are looked up. */
const MAX_SHAPES = 100_000

/** Prepares all statements once, since a row is written here for every request that ends. */
export function createRequestAppender(database: DatabaseSync): RequestAppender {
  const statements = prepareStatements(database)
  let tail: Tail | undefined
  return {
    append(lines) {
      try {
        inTransaction(database, () => {
          tail ??= readTail(statements)
          appendLines(statements, lines, tail)
        })
      } catch (error) {
        tail = undefined
        throw error
      }
    },
    forgetShapes: () => tail?.shapeIds.clear(),
  }
}

function readTail({ readNewest, readReach }: Statements): Tail {
  const newest = readNewest.get()
  // The `reach` row with the highest ID stays when its rows are deleted, so that no ID is assigned twice.
  const lastReached = readReach.get()?.['last_id'] ?? 0
  return {
    nextId: Math.max(numberOf(newest?.['id'] ?? 0), numberOf(lastReached)) + 1,
    lastEndMs: numberOf(newest?.['ended_at_ms'] ?? 0),
    shapeIds: new Map(),
  }
}

function appendLines(statements: Statements, lines: string, tail: Tail): void {
  const texts = lines.split('\n')
  const reached = new Map<number, { readonly firstId: number; readonly lastId: number }>()
  for (let index = 0; index + 1 < texts.length; index += 2) {
    const summary = readPackedSummary(texts[index] ?? '')
    const shapeId = findShape(statements, summary, tail)
    const id = tail.nextId
    tail.nextId += 1
    // Rows are found by time through their IDs. If the clock was set back, rows get the last time until the clock has
    // caught up.
    tail.lastEndMs = Math.max(tail.lastEndMs, Math.floor(summary.endedAtMs))
    statements.addRequest.run(
      ...[id, shapeId, tail.lastEndMs, summary.totalMs, summary.firstContentMs, summary.inputTokens],
      ...[summary.outputTokens, writeId(summary.requestId, 'request'), texts[index + 1] ?? ''],
      ...[summary.cacheReadTokens, summary.cacheWriteTokens, summary.reasoningTokens],
      ...[summary.cost, summary.charged],
    )
    for (const channel of summary.failedChannels) statements.addFailedAttempt.run(channel, id, shapeId)
    reached.set(shapeId, { firstId: reached.get(shapeId)?.firstId ?? id, lastId: id })
  }
  for (const [shapeId, { firstId, lastId }] of reached) statements.recordReach.run(shapeId, firstId, lastId)
}

function findShape({ addShape }: Statements, summary: PackedSummary, { shapeIds }: Tail): number {
  const columns = shapeColumnsOf(summary)
  const name = columns.join('\u0000')
  const known = shapeIds.get(name)
  if (known !== undefined) return known
  if (shapeIds.size >= MAX_SHAPES) shapeIds.clear()
  const id = numberOf(addShape.get(...columns)?.['id'])
  shapeIds.set(name, id)
  return id
}

/** The column values in the order of `shapeColumns`. */
function shapeColumnsOf({ totalMs, shape }: PackedSummary): readonly (string | number)[] {
  const { keyId, keyName, user, group, format, model, channel, upstreamModel, status, error, isStream } =
    shape
  const names = [keyId, keyName, user, group, format, model, channel, upstreamModel].map((name) => name ?? '')
  return [...names, status, error ?? '', isStream, durationClassOf(totalMs)]
}

const requestColumns = [
  'id',
  'shape_id',
  'ended_at_ms',
  'total_ms',
  'first_content_ms',
  'input_tokens',
  'output_tokens',
  'request_id',
  'detail',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'cost',
  'charged',
] as const

interface Statements {
  readonly readNewest: StatementSync
  readonly readReach: StatementSync
  readonly addShape: StatementSync
  readonly addRequest: StatementSync
  readonly addFailedAttempt: StatementSync
  readonly recordReach: StatementSync
}

function prepareStatements(database: DatabaseSync): Statements {
  const columns = shapeColumns.join(', ')
  return {
    readNewest: database.prepare('select id, ended_at_ms from requests order by id desc limit 1'),
    readReach: database.prepare('select max(last_id) as last_id from reach'),
    // The update changes nothing; without it the statement would return no row for an existing shape.
    addShape: database.prepare(
      `insert into shapes (${columns}) values (${shapeColumns.map(() => '?').join(', ')})
       on conflict (${columns}) do update set status = status returning id`,
    ),
    addRequest: database.prepare(
      `insert into requests (${requestColumns.join(', ')}) values (${requestColumns.map(() => '?').join(', ')})`,
    ),
    addFailedAttempt: database.prepare(
      'insert or ignore into failed_attempts (channel, id, shape_id) values (?, ?, ?)',
    ),
    recordReach: database.prepare(
      `insert into reach (shape_id, first_id, last_id) values (?, ?, ?)
       on conflict (shape_id) do update set last_id = excluded.last_id`,
    ),
  }
}
