import { InvariantError } from '../../kit/errors/invariant-error.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { PriceHours, PriceSheet, PriceTier, PriceVersion } from './price.ts'

export interface SheetRequest {
  readonly tier: PriceTier
  readonly inputTokens: number
  readonly atMs: number
}

/**
 * The tier to try where a tier has no sheet. OpenAI calls the same tier `fast` on one model and `priority` on another.
 */
const nextTier: Readonly<Record<PriceTier, PriceTier>> = {
  standard: 'standard',
  batch: 'standard',
  flex: 'standard',
  priority: 'standard',
  fast: 'priority',
  ultrafast: 'fast',
}

/**
 * Finds the rates of a whole request. Sheets for the current hours come first, then the sheet with the highest
 * threshold that the input exceeds.
 */
export function findSheet(version: PriceVersion, request: SheetRequest): PriceSheet {
  for (let { tier } = request; ; tier = nextTier[tier]) {
    let found: PriceSheet | undefined
    for (const sheet of version.sheets)
      if (sheet.tier === tier && applies(sheet, request)) found = narrower(found, sheet)
    if (found !== undefined) return found
    if (tier === 'standard') throw new InvariantError(`the price ${version.id} has no standard rates`)
  }
}

/** Whether a request for the tier `from` may be billed at `tier`, where the tiers before it have no sheet. */
export function isBehind(tier: PriceTier, from: PriceTier): boolean {
  for (let each = from; ; each = nextTier[each]) {
    if (each === tier) return true
    if (each === 'standard') return false
  }
}

function applies(sheet: PriceSheet, { inputTokens, atMs }: SheetRequest): boolean {
  const isLongEnough = sheet.aboveInputTokens === 0 || inputTokens > sheet.aboveInputTokens
  return isLongEnough && (sheet.hours === undefined || sheet.hours.some((hours) => isWithin(hours, atMs)))
}

function narrower(best: PriceSheet | undefined, sheet: PriceSheet): PriceSheet {
  if (best === undefined) return sheet
  if ((best.hours === undefined) !== (sheet.hours === undefined))
    return best.hours === undefined ? sheet : best
  return sheet.aboveInputTokens > best.aboveInputTokens ? sheet : best
}

const MINUTES_PER_DAY = 1_440
/** The weekday of 1 January 1970, a Thursday. */
const FIRST_WEEKDAY = 4

function isWithin({ weekdays, fromMinute, untilMinute }: PriceHours, atMs: number): boolean {
  const minutes = Math.floor(atMs / MINUTE_MS)
  const weekday = (Math.floor(minutes / MINUTES_PER_DAY) + FIRST_WEEKDAY) % 7
  const minute = minutes % MINUTES_PER_DAY
  return weekdays.includes(weekday) && minute >= fromMinute && minute < untilMinute
}
