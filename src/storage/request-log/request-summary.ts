import type { Kysely, Selectable } from 'kysely'
import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { StoredSummary } from '../../request-log/request-log-store.ts'
import { readId } from '../id-bytes.ts'
import type { RequestLogTables, RequestTable, ShapeTable } from './request-log-tables.ts'

type SummaryRow = Omit<Selectable<RequestTable>, 'detail' | 'shape_id'> &
  Omit<Selectable<ShapeTable>, 'id' | 'duration_class'>

/** Selects the rows of requests with the columns of their shapes, but without their details. */
export function selectSummaries(database: Kysely<RequestLogTables>) {
  return database
    .selectFrom('requests')
    .innerJoin('shapes', 'shapes.id', 'requests.shape_id')
    .select([
      'requests.id',
      'requests.request_id',
      'requests.ended_at_ms',
      'requests.total_ms',
      'requests.first_content_ms',
      'requests.input_tokens',
      'requests.output_tokens',
      'requests.cache_read_tokens',
      'requests.cache_write_tokens',
      'requests.reasoning_tokens',
      'requests.cost',
      'requests.charged',
      'shapes.key_id',
      'shapes.key_name',
      'shapes.user_name',
      'shapes.group_name',
      'shapes.format',
      'shapes.model',
      'shapes.channel',
      'shapes.upstream_model',
      'shapes.status',
      'shapes.error',
      'shapes.is_stream',
    ])
}

export function readSummary(row: SummaryRow): StoredSummary {
  return {
    id: row.id,
    requestId: readId(row.request_id, 'request'),
    endedAtMs: row.ended_at_ms,
    totalMs: row.total_ms,
    firstContentMs: row.first_content_ms ?? undefined,
    keyId: row.key_id || undefined,
    keyName: row.key_name || undefined,
    user: row.user_name || undefined,
    group: row.group_name || undefined,
    format: row.format || undefined,
    model: row.model || undefined,
    channel: row.channel || undefined,
    upstreamModel: row.upstream_model || undefined,
    status: row.status,
    error: row.error || undefined,
    isStream: row.is_stream !== 0,
    inputTokens: row.input_tokens ?? undefined,
    outputTokens: row.output_tokens ?? undefined,
    cacheReadTokens: row.cache_read_tokens ?? undefined,
    cacheWriteTokens: row.cache_write_tokens ?? undefined,
    reasoningTokens: row.reasoning_tokens ?? undefined,
    cost: readAmount(row.cost),
    charged: readAmount(row.charged),
  }
}

export function readAmount(stored: number | null): NanoDollars | undefined {
  return stored === null ? undefined : brand<NanoDollars>(stored)
}
