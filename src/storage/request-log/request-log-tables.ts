import type { Generated } from 'kysely'
import type { Migration } from '../sqlite/migrations.ts'
import { trafficMigration } from './traffic-tables.ts'

/**
 * A combination of the values that filters query, stored once. The row of a request has only the number of its shape.
 * An absent text is empty, not null, so that a combination is unique.
 */
export interface ShapeTable {
  id: Generated<number>
  key_id: string
  key_name: string
  user_name: string
  group_name: string
  format: string
  model: string
  channel: string
  upstream_model: string
  status: number
  error: string
  is_stream: number
  /** The class of the total time; see duration-class.ts. */
  duration_class: number
}

/** The range of rows that have a shape. A separate table, since every batch updates it. */
export interface ReachTable {
  shape_id: number
  first_id: number
  last_id: number
}

export interface RequestTable {
  /** The row's ID. IDs have no gaps and rise with the time at which requests ended. */
  id: number
  shape_id: number
  ended_at_ms: number
  total_ms: number
  first_content_ms: number | null
  input_tokens: number | null
  output_tokens: number | null
  request_id: Uint8Array
  /** The second line of the packed row. */
  detail: string
  cache_read_tokens: number | null
  cache_write_tokens: number | null
  reasoning_tokens: number | null
  /** The cost in nano-dollars. */
  cost: number | null
  charged: number | null
}

/** A channel on which a request failed before the channel of its shape was called. */
export interface FailedAttemptTable {
  channel: string
  /** The ID of the request's row. */
  id: number
  shape_id: number
}

export interface RequestLogTables {
  failed_attempts: FailedAttemptTable
  shapes: ShapeTable
  reach: ReachTable
  requests: RequestTable
}

/** The columns of shapes that a filter can narrow to few shapes. */
const filteredColumns = [
  'key_id',
  'key_name',
  'user_name',
  'group_name',
  'model',
  'channel',
  'upstream_model',
  'status',
  'error',
  'duration_class',
] as const satisfies readonly (keyof ShapeTable)[]

export const requestLogMigrations: readonly Migration[] = [
  {
    name: 'requests',
    statements: [
      `create table shapes (
        id integer primary key,
        key_id text not null,
        key_name text not null,
        group_name text not null,
        format text not null,
        model text not null,
        channel text not null,
        upstream_model text not null,
        status integer not null,
        error text not null,
        is_stream integer not null,
        duration_class integer not null,
        unique (
          key_id, key_name, group_name, format, model, channel, upstream_model, status, error, is_stream,
          duration_class
        )
      ) strict`,
      'create table reach (shape_id integer primary key, first_id integer not null, last_id integer not null) strict',
      `create table requests (
        id integer primary key,
        shape_id integer not null,
        ended_at_ms integer not null,
        total_ms integer not null,
        first_content_ms integer,
        input_tokens integer,
        output_tokens integer,
        request_id blob not null,
        detail text not null
      ) strict`,
      // The index includes the total time, so that a row that is too fast need not be read.
      'create index requests_by_shape on requests (shape_id, id, total_ms)',
      'create index requests_by_request_id on requests (request_id)',
    ],
  },
  {
    name: 'cost of requests',
    statements: ['cache_read_tokens', 'cache_write_tokens', 'reasoning_tokens', 'cost', 'charged'].map(
      (column) => `alter table requests add column ${column} integer`,
    ),
  },
  {
    // SQLite cannot change a unique constraint, so the table is made again. There are thousands of shapes, not
    // millions.
    name: 'users of requests',
    statements: [
      'alter table shapes rename to shapes_without_users',
      `create table shapes (
        id integer primary key,
        key_id text not null,
        key_name text not null,
        user_name text not null,
        group_name text not null,
        format text not null,
        model text not null,
        channel text not null,
        upstream_model text not null,
        status integer not null,
        error text not null,
        is_stream integer not null,
        duration_class integer not null,
        unique (
          key_id, key_name, user_name, group_name, format, model, channel, upstream_model, status, error,
          is_stream, duration_class
        )
      ) strict`,
      `insert into shapes (id, key_id, key_name, user_name, group_name, format, model, channel, upstream_model,
          status, error, is_stream, duration_class)
        select id, key_id, key_name, '', group_name, format, model, channel, upstream_model,
          status, error, is_stream, duration_class
        from shapes_without_users`,
      'drop table shapes_without_users',
    ],
  },
  trafficMigration,
  {
    // Ten thousand keys make a million shapes. The indexes let a filter read only the matching shapes.
    name: 'indexes of shapes',
    statements: filteredColumns.map((column) => `create index shapes_by_${column} on shapes (${column})`),
  },
  {
    name: 'failed attempts',
    statements: [
      `create table failed_attempts (
        channel text not null,
        id integer not null,
        shape_id integer not null,
        primary key (channel, id)
      ) strict, without rowid`,
      'create index failed_attempts_by_id on failed_attempts (id)',
    ],
  },
]
