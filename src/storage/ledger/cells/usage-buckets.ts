import { spanAt } from '../../../metering/budgets/budget-window.ts'
import { USAGE_SLOT_MS, type UsageDimension, type UsageQuery } from '../../../metering/usage-query.ts'
import { HOURS_A_DAY, SLOTS_AN_HOUR } from '../ledger-tables.ts'
import type { SlotRange } from './open-cells.ts'

/** A stretch of time whose usage is one row of a report for each group. */
export interface UsageBucket extends SlotRange {
  /** The moments at which the hour and the day begin. */
  readonly names: { readonly hour: string | null; readonly day: string | null }
}

/** The stretches of a report in their order; one where it is not by time. */
export function* listBuckets(query: UsageQuery): Generator<UsageBucket, void, undefined> {
  const { by, timeZone, sinceMs, untilMs } = query
  const unit = by.includes('hour') ? 'hour' : 'day'
  if (!by.includes(unit)) {
    yield { first: slotOf(sinceMs), end: slotOf(untilMs), names: { hour: null, day: null } }
    return
  }
  const spanOf = (window: 'hour' | 'day', atMs: number) =>
    spanAt({ type: 'calendar', unit: window, timeZone }, atMs)
  let day = spanOf('day', sinceMs)
  for (let atMs = sinceMs; atMs < untilMs; ) {
    if (day.endMs !== undefined && atMs >= day.endMs) day = spanOf('day', atMs)
    const span = unit === 'day' ? day : spanOf('hour', atMs)
    const endMs = Math.min(span.endMs ?? untilMs, untilMs)
    const hour = unit === 'hour' ? nameOf(span.startMs) : null
    yield { first: slotOf(atMs), end: slotOf(endMs), names: { hour, day: nameOf(day.startMs) } }
    atMs = endMs
  }
}

function slotOf(atMs: number): number {
  return Math.round(atMs / USAGE_SLOT_MS)
}

function nameOf(startMs: number): string {
  return new Date(startMs).toISOString()
}

export function isTimeDimension(dimension: UsageDimension): dimension is 'hour' | 'day' {
  return dimension === 'hour' || dimension === 'day'
}

/** Usage that is stored together. */
export type StoredRange =
  | (SlotRange & { readonly type: 'day'; readonly day: number })
  | (SlotRange & {
      readonly type: 'hour'
      readonly hour: number
      /** The quarters of the hour, the end excluded. */
      readonly quarters: readonly [number, number]
    })

/** The largest pieces that a stretch of time is made of. */
export function* splitIntoStoredRanges({ first, end }: SlotRange): Generator<StoredRange, void, undefined> {
  const slotsADay = SLOTS_AN_HOUR * HOURS_A_DAY
  for (let at = first; at < end; ) {
    if (at % slotsADay === 0 && at + slotsADay <= end) {
      yield { type: 'day', day: at / slotsADay, first: at, end: at + slotsADay }
      at += slotsADay
      continue
    }
    const hour = Math.floor(at / SLOTS_AN_HOUR)
    const start = hour * SLOTS_AN_HOUR
    const pieceEnd = Math.min(end, start + SLOTS_AN_HOUR)
    yield { type: 'hour', hour, quarters: [at - start, pieceEnd - start], first: at, end: pieceEnd }
    at = pieceEnd
  }
}
