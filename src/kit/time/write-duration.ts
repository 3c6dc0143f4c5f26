import { DAY_MS, HOUR_MS, MINUTE_MS } from './time-units.ts'

const units = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['m', MINUTE_MS],
  ['s', 1_000],
] as const

/**
 * Writes whole milliseconds as the configuration has them, in the largest unit that divides them: `90d`, `36h`,
 * `1500ms`.
 */
export function writeDuration(milliseconds: number): string {
  const unit = units.find(([, unitMs]) => milliseconds % unitMs === 0)
  return unit === undefined ? `${milliseconds}ms` : `${milliseconds / unit[1]}${unit[0]}`
}
