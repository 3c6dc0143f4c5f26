import type { Usage } from '../../canonical/usage.ts'
import type { PriceTier } from '../../catalog/prices/price.ts'
import type { LedgerRow } from '../../metering/ledger-row.ts'
import type { Migration } from '../sqlite/migrations.ts'

/** The column of each class of usage, in the order of the tables. A new one is added at the end, with a migration. */
export const usageColumns = {
  freshInputTokens: 'fresh_input',
  cacheReadTokens: 'cache_read',
  cacheWriteShortTokens: 'cache_write_short',
  cacheWriteLongTokens: 'cache_write_long',
  outputTokens: 'output',
  reasoningTokens: 'reasoning',
  inputAudioTokens: 'input_audio',
  inputImageTokens: 'input_image',
  cacheReadAudioTokens: 'cache_read_audio',
  outputAudioTokens: 'output_audio',
  outputImageTokens: 'output_image',
  acceptedPredictionTokens: 'accepted_prediction',
  rejectedPredictionTokens: 'rejected_prediction',
} as const satisfies Readonly<Record<UsageClass, string>>

export type UsageClass = Exclude<keyof Usage, 'toolCalls' | 'estimated'>
export const usageClasses: readonly UsageClass[] = [
  'freshInputTokens',
  'cacheReadTokens',
  'cacheWriteShortTokens',
  'cacheWriteLongTokens',
  'outputTokens',
  'reasoningTokens',
  'inputAudioTokens',
  'inputImageTokens',
  'cacheReadAudioTokens',
  'outputAudioTokens',
  'outputImageTokens',
  'acceptedPredictionTokens',
  'rejectedPredictionTokens',
]
export const usageMeasures = usageClasses.map((name) => usageColumns[name])

/** What a cell adds up, in the order of its columns in tables and blocks. */
export const measures = [
  'attempts',
  'requests',
  'failed',
  'estimated',
  'cost',
  'charged',
  ...usageMeasures,
] as const

/** As numbers in the table; never changed once released. */
export const stateCodes: Readonly<Record<LedgerRow['state'], number>> = { settled: 1, estimated: 2, void: 3 }
export const tierCodes: Readonly<Record<PriceTier, number>> = {
  standard: 1,
  batch: 2,
  flex: 3,
  priority: 4,
  fast: 5,
  ultrafast: 6,
}

/** Bits of the column `flags`. */
export const flagBits = {
  clamped: 1,
  usageMissing: 2,
  recovered: 4,
  unpriced: 8,
  orphaned: 16,
  failed: 32,
  usageEstimated: 64,
} as const

const measureColumns = measures.map((name) => `${name} integer not null`).join(',\n        ')

/**
 * `ledger` has a row for each attempt; who asked for what is written once, in `subjects`. `windows` is what each budget's
 * window has come to. Usage is added up by quarter of an hour and subject: of the last hours in `open_cells`, a table row
 * for each, of the hours before in one block for each hour and each day (UTC).
 */
export const ledgerMigrations: readonly Migration[] = [
  {
    name: 'ledger',
    statements: [
      `create table subjects (
        id integer primary key,
        key_id text not null,
        key_name text not null,
        user_id text not null,
        group_name text not null,
        tags text not null,
        model text not null,
        channel text not null,
        upstream_model text not null,
        price_version text not null,
        unique (key_id, model, channel, tags, upstream_model, price_version, group_name, user_id, key_name)
      ) strict`,
      `create table ledger (
        number integer primary key,
        id blob not null unique,
        request_id blob not null,
        attempt integer not null,
        subject integer not null,
        state integer not null,
        flags integer not null,
        tier integer not null,
        ended_at_ms integer not null,
        duration_ms integer not null,
        ${usageMeasures.map((name) => `${name} integer not null`).join(',\n        ')},
        cost integer not null,
        charged integer not null,
        tool_calls text,
        corrects blob,
        counted blob
      ) strict`,
      'create index ledger_requests on ledger (request_id)',
      `create table intents (
        id blob primary key,
        request_id blob not null,
        attempt integer not null,
        subject integer not null,
        started_at_ms integer not null,
        expires_at_ms integer not null,
        input_tokens integer not null,
        multiplier_ppm integer not null,
        output_tokens integer not null,
        held blob
      ) strict, without rowid`,
      'create table counters (id integer primary key, name text not null unique) strict',
      `create table windows (
        id integer primary key,
        counter integer not null,
        start_ms integer not null,
        end_ms integer,
        spent integer not null,
        pruned integer not null default 0,
        unique (counter, start_ms)
      ) strict`,
      'create index windows_by_end on windows (end_ms)',
      `create table open_cells (
        slot integer not null,
        subject integer not null,
        ${measureColumns},
        primary key (slot, subject)
      ) strict, without rowid`,
      `create table tool_calls (
        slot integer not null,
        subject integer not null,
        tool text not null,
        calls integer not null,
        primary key (slot, subject, tool)
      ) strict, without rowid`,
      'create table hour_cells (hour integer primary key, cells blob not null) strict',
      'create table day_cells (day integer primary key, cells blob not null) strict',
      `create table hours (
        hour integer primary key,
        first_number integer not null,
        last_number integer not null,
        pruned_rows integer not null default 0,
        pruned_cost integer not null default 0,
        pruned_charged integer not null default 0
      ) strict`,
    ],
  },
]
