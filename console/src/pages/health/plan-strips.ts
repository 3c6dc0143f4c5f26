import type { UsageReport } from '../../../../src/admin/ledger/usage-contract.ts'
import { type BucketUnit, bucketMs } from '../../time/time-buckets.ts'

export interface StripCell {
  /** The hour or the day, as the report names it. */
  readonly at: string
  readonly attempts: number
  readonly failed: number
}

export interface Strip {
  readonly channel: string
  /** One cell for each hour or day of the report, the oldest first. */
  readonly cells: readonly StripCell[]
  readonly attempts: number
  readonly failed: number
}

/** Turns a report by channel and by hour or day into one row for each channel. Times without calls are empty cells. */
export function planStrips(
  { data }: Pick<UsageReport, 'data'>,
  { step, times }: { readonly step: BucketUnit; readonly times: readonly string[] },
): readonly Strip[] {
  const byChannel = Map.groupBy(data, ({ by }) => by['channel'] ?? '')
  return [...byChannel]
    .map(([channel, groups]) => {
      const cells = new Map(groups.map(({ by, attempts, failed }) => [keyOf(by[step]), { attempts, failed }]))
      return {
        channel,
        cells: times.map((at) => ({ at, attempts: 0, failed: 0, ...cells.get(keyOf(at)) })),
        attempts: groups.reduce((sum, { attempts }) => sum + attempts, 0),
        failed: groups.reduce((sum, { failed }) => sum + failed, 0),
      }
    })
    .toSorted((one, other) => other.failed - one.failed || one.channel.localeCompare(other.channel))
}

/** A key that is the same for hours with and without an offset. Days have no time. */
function keyOf(at: string | null | undefined): string {
  if (at == null) return ''
  return at.length <= 10 ? at : String(Date.parse(at))
}

/** The hours of the last day or the days of the last week in UTC, up to now. */
export function listTimes(step: BucketUnit, nowMs: number): readonly string[] {
  const lengthMs = bucketMs[step]
  const count = step === 'hour' ? 24 : 7
  const last = Math.floor(nowMs / lengthMs) * lengthMs
  return Array.from({ length: count }, (_unused, index) => {
    const at = new Date(last - (count - 1 - index) * lengthMs).toISOString()
    return step === 'hour' ? at : at.slice(0, 10)
  })
}
