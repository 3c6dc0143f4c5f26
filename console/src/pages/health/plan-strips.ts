import type { UsageReport } from '../../../../src/admin/ledger/usage-contract.ts'

export interface StripCell {
  /** The hour or the day, as the report names it. */
  readonly at: string
  readonly attempts: number
  readonly failed: number
}

export interface Strip {
  readonly channel: string
  /** One for each hour or day of the report, the oldest first. */
  readonly cells: readonly StripCell[]
  readonly attempts: number
  readonly failed: number
}

export type StripStep = 'hour' | 'day'

/** Puts a report by channel and hour or day into one row for each channel; times without calls are empty cells. */
export function planStrips(
  { data }: Pick<UsageReport, 'data'>,
  { step, times }: { readonly step: StripStep; readonly times: readonly string[] },
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

/** Hours may be written with and without an offset; days have no time. */
function keyOf(at: string | null | undefined): string {
  if (at == null) return ''
  return at.length <= 10 ? at : String(Date.parse(at))
}

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** The hours of the last day, or the days of the last week, in UTC, up to now. */
export function listTimes(step: StripStep, nowMs: number): readonly string[] {
  const [lengthMs, count] = step === 'hour' ? [HOUR_MS, 24] : [DAY_MS, 7]
  const last = Math.floor(nowMs / lengthMs) * lengthMs
  return Array.from({ length: count }, (_unused, index) => {
    const at = new Date(last - (count - 1 - index) * lengthMs).toISOString()
    return step === 'hour' ? at : at.slice(0, 10)
  })
}
