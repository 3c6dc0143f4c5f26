import { inputTokensOf, type Usage } from '../canonical/usage.ts'
import { type Branded, brand } from '../kit/brand.ts'
import type { AttemptRow, PlannedRow, RequestRow } from '../telemetry/observer.ts'
import { cutText } from '../telemetry/request-log.ts'

/**
 * A request's row as text, packed once for the thread that stores it. The row is two lines of JSON without a final
 * line feed: first the fields that lists show and filters query, then the other details. Both lines are positional
 * arrays, since field names would be half of the stored bytes.
 */
export type PackedRow = Branded<string, 'PackedRow'>

export function packRow(row: RequestRow): PackedRow {
  const { usage } = row
  const last = row.channel === undefined ? row.attempts.at(-1) : undefined
  const channel = row.channel ?? last?.channel
  const failed = listFailedChannels(row.attempts, channel)
  const summary: unknown[] = [
    row.requestId,
    whole(row.endedAtMs) ?? 0,
    whole(row.totalMs) ?? 0,
    whole(row.firstContentMs),
    row.keyId,
    row.keyName,
    row.group,
    row.format,
    cutText(row.model),
    channel,
    cutText(row.upstreamModel ?? last?.upstreamModel),
    row.status,
    row.error,
    row.isStream ? 1 : 0,
    usage === undefined ? undefined : whole(inputTokensOf(usage)),
    whole(usage?.outputTokens),
    whole(usage?.cacheReadTokens),
    usage === undefined ? undefined : whole(cacheWritesOf(usage)),
    whole(usage?.reasoningTokens),
    row.cost,
    row.charged,
    row.user,
  ]
  if (failed.length > 0) summary.push(failed)
  const detail: unknown[] = [
    row.method,
    cutText(row.path),
    row.address,
    cutText(row.cause),
    row.callerLeft ? 1 : 0,
    whole(row.bytesIn) ?? 0,
    whole(row.bytesOut) ?? 0,
    usage === undefined ? undefined : packUsage(usage),
    row.losses.map(({ feature, kind, field }) => [feature, kind, cutText(field)]),
    row.candidates.map(packCandidate),
    row.attempts.map(packAttempt),
    whole(row.receiveMs) ?? 0,
    whole(row.queueMs) ?? 0,
    row.isRecovered ? 1 : 0,
  ]
  if (row.client !== undefined) detail.push(row.client)
  return brand<PackedRow>(`${JSON.stringify(summary)}\n${JSON.stringify(detail)}`)
}

const noChannels: readonly string[] = []

/** The channels that were called and failed, without the channel that the row itself names. */
function listFailedChannels(attempts: readonly AttemptRow[], channel: string | undefined): readonly string[] {
  const others = attempts.filter((attempt) => attempt.channel !== channel)
  return others.length === 0 ? noChannels : [...new Set(others.map((attempt) => attempt.channel))]
}

function cacheWritesOf({ cacheWriteShortTokens, cacheWriteLongTokens }: Usage): number {
  return cacheWriteShortTokens + cacheWriteLongTokens
}

function packUsage(usage: Usage): readonly unknown[] {
  const counts = [
    usage.freshInputTokens,
    usage.cacheReadTokens,
    usage.cacheWriteShortTokens,
    usage.cacheWriteLongTokens,
    usage.outputTokens,
    usage.reasoningTokens,
    usage.inputAudioTokens,
    usage.inputImageTokens,
    usage.outputAudioTokens,
    usage.acceptedPredictionTokens,
    usage.rejectedPredictionTokens,
    usage.cacheReadAudioTokens,
    usage.outputImageTokens,
  ]
  return [counts, usage.toolCalls, usage.isEstimated ? 1 : 0]
}

function packCandidate({ channel, upstreamModel, credentialId, excluded }: PlannedRow): readonly unknown[] {
  return [channel, cutText(upstreamModel), credentialId, cutText(excluded)]
}

function packAttempt(attempt: AttemptRow): readonly unknown[] {
  return [
    attempt.channel,
    cutText(attempt.upstreamModel),
    attempt.credentialId,
    attempt.lane,
    attempt.outcome,
    attempt.upstreamStatus,
    cutText(attempt.cause),
    whole(attempt.headMs),
    whole(attempt.firstContentMs),
    whole(attempt.totalMs) ?? 0,
    whole(attempt.waitMs) ?? 0,
    attempt.usage === undefined ? undefined : packUsage(attempt.usage),
    attempt.cost,
    attempt.charged,
  ]
}

/** Rounds a value for an integer column. */
function whole(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? Math.round(value) : undefined
}

/** Packed rows as UTF-8, each followed by a line feed. */
export interface PackedRows {
  readonly bytes: Uint8Array
  readonly count: number
}

const CAPACITY_BYTES = 256 * 1024
/** The maximum number of rows in one transaction: this many delay a reader by some milliseconds. */
const MAX_BATCH_ROWS = 512
/** The maximum number of UTF-8 bytes for one UTF-16 unit. */
const MAX_UTF8_BYTES_PER_UNIT = 3

/**
 * Rows that wait to be written. They wait as bytes, since every garbage collection copies strings that live this long
 * (decision 0008).
 */
export class RowBuffer {
  #bytes = Buffer.allocUnsafeSlow(CAPACITY_BYTES)
  #length = 0
  #count = 0

  /** False where the row does not fit. After `flush` there is always room. */
  add(row: PackedRow): boolean {
    const needed = row.length * MAX_UTF8_BYTES_PER_UNIT + 1
    if (this.#count >= MAX_BATCH_ROWS) return false
    if (this.#length + needed > this.#bytes.length) {
      if (this.#count > 0) return false
      this.#bytes = Buffer.allocUnsafeSlow(needed)
    }
    this.#length += this.#bytes.write(`${row}\n`, this.#length, 'utf8')
    this.#count += 1
    return true
  }

  /** Returns and removes all rows added since the last call; undefined if there are no rows. */
  flush(): PackedRows | undefined {
    if (this.#count === 0) return undefined
    const rows = { bytes: Uint8Array.from(this.#bytes.subarray(0, this.#length)), count: this.#count }
    this.#length = 0
    this.#count = 0
    return rows
  }
}
