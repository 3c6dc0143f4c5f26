import { z } from 'zod'
import { withFact, withFormat } from '../../kit/schema/input-fact.ts'
import { createDurationSchema } from '../../kit/time/duration-schema.ts'
import { isTimeZone } from '../../kit/time/is-time-zone.ts'
import { DAY_MS, MINUTE_MS } from '../../kit/time/time-units.ts'
import {
  type AtLimit,
  type BudgetTerms,
  type BudgetWindow,
  budgetModes,
  calendarUnits,
  writeWindow,
} from './budget-terms.ts'
import { limitNameSchema } from './limit-name-schema.ts'
import { MAX_USD, usdSchema } from './usd-schema.ts'

const DEFAULT_TIME_ZONE = 'UTC'
/** The default thresholds for warnings, in percent of the limit. */
const DEFAULT_WARN_AT: readonly number[] = [50, 80, 95, 100]
const MAX_WARNINGS = 20
const MAX_BUDGETS = 32

const windowError = withFormat(
  `must be one of ${calendarUnits.join(', ')}, total, or a span such as "rolling 5h"`,
  'budget_window',
)
const rollingLength = createDurationSchema({ minMs: MINUTE_MS, maxMs: 366 * DAY_MS, range: '1m and 366d' })

const windowSchema = z.union(
  [
    z.enum([...calendarUnits, 'total']),
    z
      .string()
      .regex(/^rolling /, { error: windowError })
      .transform((text) => text.slice('rolling '.length))
      .pipe(rollingLength),
  ],
  { error: windowError },
)

const timeZoneError = withFormat('must be a time zone such as UTC or Europe/Berlin', 'time_zone')
const timeZoneSchema = z.string({ error: timeZoneError }).refine(isTimeZone, { error: timeZoneError })

const percentError = 'must be a whole number of percent from 1 to 100'
const percentSchema = z
  .int({ error: percentError })
  .min(1, { error: percentError })
  .max(100, { error: percentError })

const atLimits = ['clamp', 'refuse', 'fallback'] as const

/** The fields that every budget has, whatever it applies to. */
export const budgetFields = {
  limit_usd: z
    .union([usdSchema, z.literal('unlimited')], {
      error: withFormat(
        `must be US dollars from 0 to ${MAX_USD}, such as 5 or 0.25, with at most nine decimals, or "unlimited"`,
        'usd',
      ),
    })
    .optional(),
  window: windowSchema,
  time_zone: timeZoneSchema.optional(),
  mode: z.enum(budgetModes, { error: `must be one of ${budgetModes.join(', ')}` }).optional(),
  at_limit: z.enum(atLimits, { error: `must be one of ${atLimits.join(', ')}` }).optional(),
  fallback: z
    .string({ error: 'must be a public name' })
    .min(1, { error: 'must be a public name' })
    .optional(),
  warn_at: z
    .array(percentSchema, { error: 'must be a list of percents, such as [50, 80, 95, 100]' })
    .max(MAX_WARNINGS, { error: `must have at most ${MAX_WARNINGS} entries` })
    .optional(),
}

const fieldsSchema = z.strictObject(budgetFields)
export type BudgetInput = z.output<typeof fieldsSchema>

const TIME_ZONE_WITHOUT_EFFECT = withFact(
  'has no effect on this window; leave it out, or give a window by the calendar',
  { code: 'excluded_by_field', values: { field: 'window' } },
)
const OBSERVE_REFUSES_NOTHING = withFact(
  'has no effect with "mode: observe", which refuses nothing; leave one of the two out',
  { code: 'excluded_by_field', values: { field: 'mode' } },
)
const ESTIMATE_CANNOT_CLAMP = withFact(
  'cannot be "clamp" with "mode: estimate", which holds no worst case; use "mode: exact"',
  { code: 'excluded_by_field', values: { field: 'mode' } },
)
const FALLBACK_MISSING = withFact('is missing; name the model that is asked at the limit', {
  code: 'required',
  values: {},
})
const FALLBACK_WITHOUT_EFFECT = withFact(
  'has no effect without "at_limit: fallback"; give both, or neither',
  { code: 'needs_field', values: { field: 'at_limit' } },
)

/** Checks the rules that involve more than one field. */
export function checkBudgetFields(input: BudgetInput, context: z.RefinementCtx): void {
  const refuse = (field: keyof BudgetInput, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message })
  const { window, time_zone, mode = 'exact', at_limit, fallback } = input
  const isCalendar = typeof window === 'string' && window !== 'total'
  if (time_zone !== undefined && !isCalendar) refuse('time_zone', TIME_ZONE_WITHOUT_EFFECT)
  if (mode === 'observe' && at_limit !== undefined) refuse('at_limit', OBSERVE_REFUSES_NOTHING)
  if (mode === 'estimate' && at_limit === 'clamp') refuse('at_limit', ESTIMATE_CANNOT_CLAMP)
  if (at_limit === 'fallback' && fallback === undefined) refuse('fallback', FALLBACK_MISSING)
  if (at_limit !== 'fallback' && fallback !== undefined) refuse('fallback', FALLBACK_WITHOUT_EFFECT)
}

export function readBudget(input: BudgetInput, name: string | undefined): BudgetTerms {
  const { limit_usd, window, time_zone, mode = 'exact', warn_at } = input
  return {
    name,
    limit: limit_usd === 'unlimited' ? undefined : limit_usd,
    window: readWindow(window, time_zone ?? DEFAULT_TIME_ZONE),
    mode,
    atLimit: readAtLimit(input, mode),
    warnAt: [...new Set(warn_at ?? DEFAULT_WARN_AT)].sort((one, other) => one - other),
  }
}

function readWindow(window: BudgetInput['window'], timeZone: string): BudgetWindow {
  if (typeof window === 'number') return { type: 'rolling', lengthMs: window }
  return window === 'total' ? { type: 'total' } : { type: 'calendar', unit: window, timeZone }
}

function readAtLimit({ at_limit, fallback }: BudgetInput, mode: BudgetTerms['mode']): AtLimit {
  if (fallback !== undefined) return { type: 'fallback', model: fallback }
  return { type: at_limit === 'refuse' || mode !== 'exact' ? 'refuse' : 'clamp' }
}

/** One of the budgets of a key, a user or a group. */
export const budgetSchema = z
  .strictObject({ name: limitNameSchema.optional(), ...budgetFields })
  .superRefine(checkBudgetFields)
  .transform(({ name, ...input }): BudgetTerms => readBudget(input, name))

/** The field `budgets` of a key, a user or a group. */
export const budgetListSchema = z
  .array(budgetSchema, { error: 'must be a list of budgets, such as [{ limit_usd: 5, window: day }]' })
  .max(MAX_BUDGETS, { error: `must have at most ${MAX_BUDGETS} entries` })
  .superRefine((budgets, context) => {
    const labels = budgets.map(budgetLabel)
    for (const [index, label] of labels.entries()) {
      const first = labels.indexOf(label)
      if (first === index) continue
      const message = `is called "${label}", as the one at ${first} is; give each its own name`
      context.addIssue({ code: 'custom', path: [index, 'name'], message, params: { fact: 'repeated' } })
    }
  })

/** The label that tells a budget apart from the others of the same key, user or group. */
export function budgetLabel({ name, window }: BudgetTerms): string {
  return name ?? writeWindow(window)
}
