import { spanAt, type WindowSpan } from '../../../metering/budgets/budget-window.ts'
import {
  type TimeDimension,
  timeDimensions,
  USAGE_SLOT_MS,
  type UsageDimension,
  type UsageQuery,
} from '../../../metering/usage-query.ts'
import { HOURS_A_DAY, SLOTS_AN_HOUR } from '../ledger-tables.ts'
import type { SlotRange } from './open-cells.ts'

/** A time span whose usage is one report row for each group. */
export interface UsageBucket extends SlotRange {
  /** The moments at which the hour, the day and the month begin; null where the report does not group by them. */
  readonly names: Readonly<Record<TimeDimension, string | null>>
}

/** The time spans of a report in order; a single one if the report is not by time. */
export function* listBuckets(query: UsageQuery): Generator<UsageBucket, void, undefined> {
  const { by, timeZone, sinceMs, untilMs } = query
  const unit = timeDimensions.find((each) => by.includes(each))
  if (unit === undefined) {
    yield { first: slotOf(sinceMs), end: slotOf(untilMs), names: { hour: null, day: null, month: null } }
    return
  }
  const spanOf = createSpanFinder(timeZone)
  for (let atMs = sinceMs; atMs < untilMs; ) {
    const endMs = Math.min(spanOf(unit, atMs).endMs ?? untilMs, untilMs)
    const nameOf = (each: TimeDimension) =>
      by.includes(each) ? new Date(spanOf(each, atMs).startMs).toISOString() : null
    const names = { hour: nameOf('hour'), day: nameOf('day'), month: nameOf('month') }
    yield { first: slotOf(atMs), end: slotOf(endMs), names }
    atMs = endMs
  }
}

/** Remembers the last span of each unit, since times arrive in ascending order. */
function createSpanFinder(timeZone: string): (unit: TimeDimension, atMs: number) => WindowSpan {
  const last = new Map<TimeDimension, WindowSpan>()
  return (unit, atMs) => {
    const known = last.get(unit)
    if (known?.endMs !== undefined && atMs < known.endMs) return known
    const span = spanAt({ type: 'calendar', unit, timeZone }, atMs)
    last.set(unit, span)
    return span
  }
}

function slotOf(atMs: number): number {
  return Math.round(atMs / USAGE_SLOT_MS)
}

export function isTimeDimension(dimension: UsageDimension): dimension is TimeDimension {
  return timeDimensions.some((each) => each === dimension)
}

/** A range of usage that is stored in one block. */
export type StoredRange =
  | (SlotRange & { readonly type: 'day'; readonly day: number })
  | (SlotRange & {
      readonly type: 'hour'
      readonly hour: number
      /** The quarters of the hour, the end excluded. */
      readonly quarters: readonly [number, number]
    })

/** Splits a time span into the largest stored ranges. */
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
