import { type Kysely, sql } from 'kysely'
import type { RequestFilter } from '../../request-log/request-log-store.ts'
import type { IdBounds } from './request-ids.ts'
import type { RequestLogTables } from './request-log-tables.ts'
import { fitsShape } from './shape-filter.ts'

export interface MergeInput {
  readonly filter: RequestFilter
  readonly bounds: IdBounds
  readonly wanted: number
}

/** A shape that has rows within the bounds, and the newest of them. */
interface Head {
  readonly shapeId: number
  readonly newest: number
}

/** The newest IDs of all matching shapes, newest first. */
export async function mergeShapes(
  database: Kysely<RequestLogTables>,
  { filter, bounds, wanted }: MergeInput,
): Promise<readonly number[]> {
  const heads = await findHeads(database, { filter, bounds, wanted })
  let merged: readonly number[] = []
  for (const { shapeId, newest } of heads) {
    // Shapes are sorted by their newest row, so that no further shape has a newer row than those found.
    const oldest = merged[wanted - 1]
    if (oldest !== undefined && newest < oldest) break
    const ids = await readIds(database, shapeId, {
      filter,
      bounds: { low: Math.max(bounds.low, (oldest ?? 0) - 1), high: newest + 1 },
      wanted,
    })
    merged = [...merged, ...ids].sort((a, b) => b - a).slice(0, wanted)
  }
  return merged
}

/** The matching shapes, with the newest rows first. The stored last row of each shape avoids most of the search. */
async function findHeads(
  database: Kysely<RequestLogTables>,
  { filter, bounds, wanted }: MergeInput,
): Promise<readonly Head[]> {
  const { low, high } = bounds
  const { minMs = 0 } = filter
  const searched = database
    .selectFrom('requests')
    .select(({ fn }) => fn.max('requests.id').as('newest'))
    .where('requests.shape_id', '=', sql<number>`reach.shape_id`)
    .where('requests.id', '>', low)
    .where('requests.id', '<', high)
    .where('requests.total_ms', '>=', minMs)
  const known = minMs === 0 ? sql<boolean>`reach.last_id < ${high}` : sql<boolean>`false`
  const rows = await database
    .selectFrom('shapes')
    .innerJoin('reach', 'reach.shape_id', 'shapes.id')
    .select('reach.shape_id')
    .select(sql<number | null>`case when ${known} then reach.last_id else ${searched} end`.as('newest'))
    .where(fitsShape(filter))
    .where('reach.last_id', '>', low)
    .where('reach.first_id', '<', high)
    .orderBy('newest', (order) => order.desc().nullsLast())
    .limit(wanted)
    .execute()
  return rows.flatMap(({ shape_id, newest }) => (newest === null ? [] : [{ shapeId: shape_id, newest }]))
}

async function readIds(
  database: Kysely<RequestLogTables>,
  shapeId: number,
  { filter, bounds, wanted }: MergeInput,
): Promise<readonly number[]> {
  const { minMs = 0 } = filter
  const rows = await database
    .selectFrom('requests')
    .select('id')
    .where('shape_id', '=', shapeId)
    .where('id', '>', bounds.low)
    .where('id', '<', bounds.high)
    .where('total_ms', '>=', minMs)
    .orderBy('id', 'desc')
    .limit(wanted)
    .execute()
  return rows.map(({ id }) => id)
}
