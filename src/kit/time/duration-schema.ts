import { z } from 'zod'
import { withFact, withFormat } from '../schema/input-fact.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time-units.ts'

const unitMs = { ms: 1, s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const

/** The longest delay of a JavaScript timer, a little under 25 days. */
const MAX_TIMER_MS = 2_147_483_647

const explanation = withFormat(
  'must be a duration with its unit, such as "500ms", "10s", "5m" or "1h"',
  'duration',
)

/** `500ms`, `10s`, `1.5m`, `1h`, `7d` to milliseconds, for timers. */
export const durationSchema = createDurationSchema({ minMs: 1, maxMs: MAX_TIMER_MS, range: '1ms and 24d' })

export interface DurationRange {
  readonly minMs: number
  readonly maxMs: number
  /** The two limits in words, such as `1ms and 24d`. */
  readonly range: string
}

/** Creates a schema of durations. Durations that no timer waits for may be longer than a timer's limit. */
export function createDurationSchema({ minMs, maxMs, range }: DurationRange) {
  const [minimum = '', maximum = ''] = range.split(' and ')
  const beyond = withFact(`must be between ${range}`, { code: 'out_of_range', values: { minimum, maximum } })
  return (
    z
      .string({ error: explanation })
      .regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, { error: explanation })
      // Forms of the console know a duration by its title.
      .meta({ title: 'duration' })
      .transform(readDurationMs)
      .refine((milliseconds) => milliseconds >= minMs && milliseconds <= maxMs, {
        error: beyond,
      })
  )
}

function readDurationMs(text: string): number {
  const [, amount, unit] = /^([\d.]+)(ms|s|m|h|d)$/.exec(text) ?? []
  return Math.round(Number(amount) * (isUnit(unit) ? unitMs[unit] : Number.NaN))
}

function isUnit(text: string | undefined): text is keyof typeof unitMs {
  return text !== undefined && Object.hasOwn(unitMs, text)
}
