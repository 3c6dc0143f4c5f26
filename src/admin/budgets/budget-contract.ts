// Budgets as clients of the admin API see them. This file imports no code but schemas, so that a browser can import it.
import { z } from 'zod'
import { authorFactField } from '../audit/actor-contract.ts'
import { nextAfterSchema } from '../paging/page-fields.ts'
import type {
  listBudgetsSchema,
  listValuesSchema,
  raiseBudgetSchema,
  resetBudgetSchema,
} from './budget-input-schema.ts'

const usd = z.number()
const held = {
  description: 'The most that requests in progress can cost, of those of the node that answers.',
}

const raiseViewSchema = z.object({
  by_usd: usd.meta({ description: 'Below zero where the limit is lower.' }),
  until: z.iso.datetime().nullable().meta({ description: 'Null: for good.' }),
  reason: z.string(),
  author: z.string(),
  author_fact: authorFactField,
  at: z.iso.datetime(),
})

export const budgetViewSchema = z.object({
  name: z
    .string()
    .meta({ description: 'As in the configuration, or with its owner in front, such as "key:ci/day".' }),
  id: z.string(),
  scope: z
    .string()
    .meta({ description: 'What it stands on, such as installation, key:ci or tag:team=search.' }),
  value: z
    .string()
    .nullable()
    .meta({ description: 'Of a tag of which every value has a budget of its own: the value that is shown.' }),
  owner: z
    .enum(['file', 'api'])
    .nullable()
    .meta({ description: 'Of an entry of "budgets"; null for a budget of a key, a user or a group.' }),
  window: z.string(),
  time_zone: z.string().nullable(),
  mode: z.enum(['exact', 'estimate', 'observe']),
  at_limit: z.enum(['clamp', 'refuse', 'fallback']),
  fallback: z.string().nullable(),
  limit_usd: z
    .union([usd, z.literal('unlimited')])
    .meta({ description: 'With what it is raised by at the moment.' }),
  base_limit_usd: z.union([usd, z.literal('unlimited')]).meta({ description: 'As its owner wrote it.' }),
  warn_at: z.array(z.number()).meta({ description: 'The shares that are reported, in percent.' }),
  raises: z.array(raiseViewSchema).meta({ description: 'Those of this moment, oldest first.' }),
  spent_usd: usd
    .nullable()
    .meta({ description: 'Of its window; null where each value of a tag has its own and none is named.' }),
  held_usd: usd.nullable().meta(held),
  remaining_usd: usd.nullable().meta({
    description: 'What is neither spent nor held at the node that answers; null where it is unlimited.',
  }),
  resets_at: z.iso.datetime().nullable().meta({
    description: 'Null where it never resets, and where each value of a tag has a budget of its own.',
  }),
})

export const budgetPageSchema = z.object({ data: z.array(budgetViewSchema), next_after: nextAfterSchema })

const valueViewSchema = z.object({
  value: z.string().meta({ description: 'Values that are too many are one: "(others)".' }),
  ...budgetViewSchema.pick({ limit_usd: true, resets_at: true }).shape,
  spent_usd: usd,
  held_usd: usd.meta(held),
  remaining_usd: usd.nullable().meta({ description: 'Null where it is unlimited.' }),
})

export const valueListSchema = z.object({
  data: z.array(valueViewSchema).meta({ description: 'What spent most comes first.' }),
  values: z
    .number()
    .meta({ description: 'All that have spent or hold something, those not shown included.' }),
})

export const forecastViewSchema = z.object({
  name: z.string(),
  value: z.string().nullable(),
  method: z.enum(['weekday-hours', 'hours-of-day', 'recent-rate', 'none', 'unavailable']).meta({
    description:
      'weekday-hours: each hour to come costs what the same hours of the same weekday cost on average, in the last four weeks; hours-of-day: what the same hours of the last seven days cost; recent-rate: what an hour of the last 24 cost; none: nothing was spent yet; unavailable: what was spent before could not be read, see reason.',
  }),
  reason: z
    .enum(['report_too_slow'])
    .nullable()
    .meta({ description: 'The code of what failed where the method is unavailable.' }),
  history_since: z.iso.datetime().nullable(),
  ends_with_usd: usd.nullable().meta({ description: 'Of its window; null where that has no end.' }),
  runs_out_at: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'Null where it does not, before it resets or as far as this looks.' }),
  looks_until: z.iso.datetime(),
})

export type ForecastView = Readonly<z.output<typeof forecastViewSchema>>
export type BudgetView = Readonly<z.output<typeof budgetViewSchema>>
export type BudgetList = Readonly<z.output<typeof budgetPageSchema>>
export type ValueView = Readonly<z.output<typeof valueViewSchema>>
export type ValueList = Readonly<z.output<typeof valueListSchema>>
export type ListBudgets = Readonly<z.input<typeof listBudgetsSchema>>
export type ListValues = Readonly<z.input<typeof listValuesSchema>>
export type RaiseBudget = Readonly<z.input<typeof raiseBudgetSchema>>
export type ResetBudget = Readonly<z.input<typeof resetBudgetSchema>>
