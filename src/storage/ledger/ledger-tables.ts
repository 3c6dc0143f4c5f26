import type { Usage } from '../../canonical/usage.ts'
import type { PriceTier } from '../../catalog/prices/price.ts'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import type { LedgerRow } from '../../metering/ledger-row.ts'
import { USAGE_SLOT_MS } from '../../metering/usage-query.ts'

/** The column of each class of usage, in the order of the tables. A new class is added at the end, with a migration. */
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

export type UsageClass = Exclude<keyof Usage, 'toolCalls' | 'isEstimated' | 'billed' | 'speed' | 'region'>
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

/** The columns of `ledger`, in the order in which a row is written. */
export const rowColumns: readonly string[] = [
  'number',
  'id',
  'request_id',
  'attempt',
  'subject',
  'tags',
  'state',
  'flags',
  'tier',
  'ended_at_ms',
  'duration_ms',
  ...usageMeasures,
  'cost',
  'charged',
  'tool_calls',
  'corrects',
  'counted',
]

/** The sums of a cell, in the order of its columns in tables and blocks. */
export const measures = [
  'attempts',
  'requests',
  'failed',
  'estimated',
  'cost',
  'charged',
  ...usageMeasures,
] as const

/**
 * The limit of a sum, in a table and in a batch. Two of them add up to less than a column can hold, since a sum that no
 * column can hold would fail its batch, and with it every later batch.
 */
export const MAX_SUM = 2 ** 61

export const SLOTS_AN_HOUR = HOUR_MS / USAGE_SLOT_MS
export const HOURS_A_DAY = 24

/** The names of a subject, in the order in which a batch carries them. */
export const subjectColumns = [
  'key_id',
  'key_name',
  'user_id',
  'group_name',
  'model',
  'channel',
  'upstream_model',
  'price_version',
] as const

/** The numbers under which the table stores states. A number never changes once it is released. */
export const stateCodes: Readonly<Record<LedgerRow['state'], number>> = { settled: 1, estimated: 2, void: 3 }
export const tierCodes: Readonly<Record<PriceTier, number>> = {
  standard: 1,
  batch: 2,
  flex: 3,
  priority: 4,
  fast: 5,
  ultrafast: 6,
}

export const flagBits = {
  clamped: 1,
  usageMissing: 2,
  recovered: 4,
  unpriced: 8,
  orphaned: 16,
  failed: 32,
  usageEstimated: 64,
} as const
