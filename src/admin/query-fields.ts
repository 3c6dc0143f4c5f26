// Fields that queries of several operations have. Imports no code but schemas and their checks, so that a browser can.
import { z } from 'zod'
import { withFormat } from '../kit/schema/input-fact.ts'
import { isTimeZone } from '../kit/time/is-time-zone.ts'

/** A whole number from `min` to `max`. */
export const wholeNumberField = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z
    .string({ error })
    .regex(/^\d{1,16}$/, { error })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error })
}

/** A moment, in milliseconds since 1970. */
export const momentField = z
  .string()
  .pipe(z.iso.datetime({ offset: true, error: 'must be a time such as 2027-01-01T00:00:00Z' }))
  .transform((value) => Date.parse(value))

export const wordField = z
  .string()
  .min(1, { error: 'must not be empty' })
  .max(512, { error: 'must be 512 characters at most' })

/** A moment, or the beginning of a day by the time zone of the query. */
export const dayOrMomentField = z.union([z.iso.date(), z.iso.datetime({ offset: true })], {
  error: withFormat(
    'must be a day such as 2027-01-01, or a time with its zone such as 2027-01-01T12:00:00Z',
    'time',
  ),
})

const timeZoneError = withFormat('must be a time zone such as UTC or Europe/Berlin', 'time_zone')
export const timeZoneField = z
  .string({ error: timeZoneError })
  .max(64, { error: timeZoneError })
  .refine(isTimeZone, { error: timeZoneError })
