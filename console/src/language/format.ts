import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/time-units.ts'
import { languageTag, t } from './language.ts'

/** Creating a formatter is slow and using it is fast, so each is created once per language. */
function remember<Options extends object, Formatter>(make: (tag: string, options: Options) => Formatter) {
  const made = new Map<string, Formatter>()
  return (options: Options): Formatter => {
    const name = `${languageTag()} ${JSON.stringify(options)}`
    const cached = made.get(name)
    if (cached !== undefined) return cached
    const formatter = make(languageTag(), options)
    made.set(name, formatter)
    return formatter
  }
}

const numbers = remember((tag, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(tag, options))
const times = remember((tag, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(tag, options))
const distances = remember(
  (tag, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(tag, options),
)

export function writeCount(value: number): string {
  return numbers({}).format(value)
}

/** A count with three digits and a suffix, such as 1.25M, for narrow places. */
export function writeShortCount(value: number): string {
  return numbers({ notation: 'compact', maximumSignificantDigits: 3 }).format(value)
}

/** US dollars with cents. Amounts below ten cents have two significant digits. */
export function writeUsd(value: number): string {
  // An amount that two digits round up to ten cents has cents, too.
  const size = Number(Math.abs(value).toPrecision(2))
  const digits =
    size >= 0.1 || size === 0
      ? { minimumFractionDigits: 2, maximumFractionDigits: 2 }
      : { maximumSignificantDigits: 2 }
  return numbers({ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...digits }).format(
    value,
  )
}

/** US dollars with all digits of a price, at least cents. */
export function writePrice(value: number): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 9 }
  return numbers({ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...digits }).format(
    value,
  )
}

/** The cost and, if it differs, the amount that callers are charged, which the budgets of keys and groups count. */
export function writeSpend(costUsd: number, chargedUsd: number): string {
  const cost = writeUsd(costUsd)
  return chargedUsd === costUsd
    ? cost
    : `${cost} · ${t('overview.charged', { charged: writeUsd(chargedUsd) })}`
}

export function writeShortUsd(value: number): string {
  if (Math.abs(value) < 1_000) return writeUsd(value)
  const short = { notation: 'compact', maximumSignificantDigits: 3 } as const
  return numbers({ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...short }).format(
    value,
  )
}

/** US dollars for a row of a table. Millions are short, so that they fit into the column: a cut amount looks smaller. */
export function writeRowUsd(value: number): string {
  return Math.abs(value) < 999_999.995 ? writeUsd(value) : writeShortUsd(value)
}

/** A share between 0 and 1. */
export function writeShare(share: number): string {
  return numbers({
    style: 'percent',
    maximumFractionDigits: share !== 0 && Math.abs(share) < 0.1 ? 1 : 0,
  }).format(share)
}

/** A duration in the unit that needs few digits. */
export function writeDuration(ms: number): string {
  if (ms < 1) return `<${writeUnit(1, 'millisecond')}`
  if (Math.round(ms) < 1_000) return writeUnit(Math.round(ms), 'millisecond')
  if (roundTo(ms, 100) < MINUTE_MS)
    return writeUnit(Number((ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)), 'second')
  if (roundTo(ms, 1_000) < HOUR_MS) return joinUnits(ms, [MINUTE_MS, 'minute'], [1_000, 'second'])
  if (roundTo(ms, MINUTE_MS) < DAY_MS) return joinUnits(ms, [HOUR_MS, 'hour'], [MINUTE_MS, 'minute'])
  return joinUnits(ms, [DAY_MS, 'day'], [HOUR_MS, 'hour'])
}

function roundTo(ms: number, unitMs: number): number {
  return Math.round(ms / unitMs) * unitMs
}

type Unit = readonly [lengthMs: number, unit: string]

function joinUnits(ms: number, [largeMs, large]: Unit, [smallMs, small]: Unit): string {
  const rounded = roundTo(ms, smallMs)
  const count = Math.floor(rounded / largeMs)
  const rest = Math.round((rounded - count * largeMs) / smallMs)
  const first = writeUnit(count, large)
  return rest === 0 ? first : `${first} ${writeUnit(rest, small)}`
}

function writeUnit(value: number, unit: string): string {
  return numbers({ style: 'unit', unit, unitDisplay: unit === 'day' ? 'long' : 'narrow' }).format(value)
}

export function writeBytes(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const unit = units[power] ?? 'byte'
  return numbers({ style: 'unit', unit, unitDisplay: 'narrow', maximumSignificantDigits: 3 }).format(
    bytes / 1_000 ** power,
  )
}

/** A time in the viewer's time zone. */
export function writeMoment(at: string | number): string {
  return times({ dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }).format(new Date(at))
}

/** The time of day with seconds, for recent events. */
export function writeClock(at: string | number): string {
  return times({ timeStyle: 'medium', hourCycle: 'h23' }).format(new Date(at))
}

/** The time of day for today. Other days are shown with their date. */
export function writeRecent(at: string | number, nowMs: number): string {
  const date = new Date(at)
  if (date.toDateString() === new Date(nowMs).toDateString()) return writeClock(at)
  return times({
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(date)
}

export function writeDay(at: string | number): string {
  return times({ dateStyle: 'medium' }).format(new Date(at))
}

/** A UTC day of a report. */
export function writeUtcDay(at: string): string {
  return times({ dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(at))
}

/** The start of an hour with its time zone, such as "Nov 25, 14:00 GMT+1". */
export function writeHour(at: string): string {
  return times({
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  }).format(new Date(at))
}

/** A time in the viewer's time zone, with the name of the zone. */
export function writeZonedMoment(at: string | number): string {
  const { timeZone } = times({}).resolvedOptions()
  return `${writeMoment(at)} (${timeZone})`
}

/** A tick label of a time axis, as detailed as its step requires. */
export function writeTick(at: Date, stepMs: number): string {
  if (stepMs < DAY_MS) return times({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at)
  return times({ month: 'short', day: 'numeric' }).format(at)
}

/** The same time in UTC, for the tooltip. */
export function writeUtc(at: string | number): string {
  return `${new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')} UTC`
}

const steps = [
  ['year', 365 * DAY_MS],
  ['month', 30 * DAY_MS],
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', 1_000],
] as const

/**
 * The distance from now, such as "3 hours ago" or "in 2 days". It has no words of the calendar such as "tomorrow", as
 * 26 hours from now may be the day after tomorrow.
 */
export function writeDistance(at: string | number, nowMs: number): string {
  const difference = new Date(at).getTime() - nowMs
  const step = steps.find(([, lengthMs]) => Math.abs(difference) >= lengthMs) ?? steps[5]
  const count = Math.round(difference / step[1])
  return distances({ numeric: count === 0 ? 'auto' : 'always' }).format(count, step[0])
}
