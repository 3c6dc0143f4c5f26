import { DAY_MS, HOUR_MS, MINUTE_MS } from './time-units.ts'

const unitsMs = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const

/** The length of a span such as "30m" or "7d"; undefined for any other text. */
export function spanMs(span: string): number | undefined {
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(span) ?? []
  if (count === undefined || (unit !== 'm' && unit !== 'h' && unit !== 'd')) return undefined
  return Number(count) * unitsMs[unit]
}

/** The moment that a span before now, or a moment itself, stands for; undefined where it is neither. */
export function momentOf(text: string | undefined, nowMs: number): string | undefined {
  if (text === undefined) return undefined
  const length = spanMs(text)
  if (length !== undefined) return new Date(nowMs - length).toISOString()
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
