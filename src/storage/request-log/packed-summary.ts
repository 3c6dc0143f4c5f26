import { columnText, numberOf, orNull } from '../sqlite/column-values.ts'
import { DamagedStoreError } from '../sqlite/damaged-store-error.ts'

/** The fields of a packed row that are stored in separate columns. */
export interface PackedSummary {
  readonly requestId: string
  readonly endedAtMs: number
  readonly totalMs: number
  readonly firstContentMs: number | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly cacheReadTokens: number | null
  readonly cacheWriteTokens: number | null
  readonly reasoningTokens: number | null
  /** The cost in nano-dollars. */
  readonly cost: number | null
  readonly charged: number | null
  /** The channels on which the request failed before the channel of the shape was called. */
  readonly failedChannels: readonly string[]
  readonly shape: PackedShape
}

interface PackedShape {
  readonly keyId: string | null
  readonly keyName: string | null
  readonly user: string | null
  readonly group: string | null
  readonly format: string | null
  readonly model: string | null
  readonly channel: string | null
  readonly upstreamModel: string | null
  readonly status: number
  readonly error: string | null
  readonly isStream: number
}

/** Reads the first line of a packed row. */
export function readPackedSummary(line: string): PackedSummary {
  const values: unknown = JSON.parse(line)
  if (!Array.isArray(values)) throw new DamagedStoreError('a packed row is no list')
  const [requestId, endedAtMs, totalMs, firstContentMs, ...rest]: readonly unknown[] = values
  const [keyId, keyName, group, format, model, channel, upstreamModel, ...last] = rest
  const [status, error, isStream, inputTokens, outputTokens, ...sums] = last
  const [cacheReadTokens, cacheWriteTokens, reasoningTokens, cost, charged, user, failed] = sums
  return {
    requestId: columnText(requestId),
    endedAtMs: numberOf(endedAtMs),
    totalMs: numberOf(totalMs),
    firstContentMs: orNull(numberOf, firstContentMs),
    inputTokens: orNull(numberOf, inputTokens),
    outputTokens: orNull(numberOf, outputTokens),
    cacheReadTokens: orNull(numberOf, cacheReadTokens),
    cacheWriteTokens: orNull(numberOf, cacheWriteTokens),
    reasoningTokens: orNull(numberOf, reasoningTokens),
    cost: orNull(numberOf, cost),
    charged: orNull(numberOf, charged),
    failedChannels: Array.isArray(failed) ? failed.map(columnText) : [],
    shape: {
      keyId: orNull(columnText, keyId),
      keyName: orNull(columnText, keyName),
      user: orNull(columnText, user),
      group: orNull(columnText, group),
      format: orNull(columnText, format),
      model: orNull(columnText, model),
      channel: orNull(columnText, channel),
      upstreamModel: orNull(columnText, upstreamModel),
      status: numberOf(status),
      error: orNull(columnText, error),
      isStream: numberOf(isStream),
    },
  }
}
