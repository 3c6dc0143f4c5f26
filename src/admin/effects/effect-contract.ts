// What a change of the configuration does to people, as clients of the admin API see it. This file imports no code but
// zod, so that a browser can import it.
import { z } from 'zod'

const severity = z.enum(['breaks', 'changes', 'adds']).meta({
  description: 'breaks: a caller loses something; changes: it works otherwise; adds: a caller gains.',
})
const text = z.string().meta({ description: 'The effect in words.' })
const about = { severity, text }

/** A list of names that contains only the first ones. */
const namesSchema = z.object({
  names: z.array(z.string()),
  more: z.int().nonnegative().meta({ description: 'How many there are besides.' }),
})
const usd = z.number()
const limit = z.union([usd, z.literal('unlimited')])

const shareSchema = z.object({
  target: z.string(),
  before: z.number().nullable().meta({ description: 'In percent; null where it was no target.' }),
  after: z.number().nullable().meta({ description: 'In percent; null where it is no target any more.' }),
})

const rateChangeSchema = z.object({
  class: z.string().meta({ description: 'A class of usage, such as input or output.' }),
  tier: z.string().meta({ description: 'The service tier, such as standard.' }),
  above_input_tokens: z.number(),
  before_usd: usd.meta({ description: 'Per million tokens.' }),
  after_usd: usd,
  percent: z.number().nullable().meta({ description: 'Null where it cost nothing before.' }),
})

const fieldChangeSchema = z.object({
  field: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
})

const modelEffects = [
  z.object({
    type: z.enum(['access_lost', 'access_gained']),
    ...about,
    holders: z.enum(['keys', 'groups']),
    who: namesSchema,
    models: namesSchema,
  }),
  z.object({ type: z.enum(['models_unserved', 'models_served']), ...about, models: namesSchema }),
  z.object({ type: z.literal('models_unknown'), ...about, channels: namesSchema }),
  z.object({ type: z.literal('models_refused'), ...about, models: namesSchema }),
] as const

const routeEffects = [
  z.object({
    type: z.literal('first_target'),
    ...about,
    models: namesSchema,
    before: z.string(),
    after: z.string(),
  }),
  z.object({ type: z.literal('shares'), ...about, models: namesSchema, targets: z.array(shareSchema) }),
  z.object({
    type: z.literal('reserves'),
    ...about,
    models: namesSchema,
    added: namesSchema.meta({ description: 'Targets and fallbacks that are asked only after others.' }),
    removed: namesSchema,
  }),
  z.object({
    type: z.literal('strategy'),
    ...about,
    models: namesSchema,
    before: z.string(),
    after: z.string(),
  }),
] as const

const priceEffects = [
  z.object({
    type: z.literal('prices'),
    ...about,
    models: namesSchema,
    rates: z.array(rateChangeSchema),
  }),
  z.object({ type: z.enum(['prices_lost', 'prices_gained']), ...about, models: namesSchema }),
  z.object({
    type: z.literal('multiplier'),
    ...about,
    group: z.string(),
    before: z.number(),
    after: z.number(),
  }),
] as const

const limitEffects = [
  z.object({
    type: z.literal('budget_spent'),
    ...about,
    budget: z.string(),
    limit_usd: usd,
    spent_usd: usd,
  }),
  z.object({
    type: z.literal('budget'),
    ...about,
    change: z.enum(['added', 'removed', 'limit']),
    budget: z.string(),
    before_usd: limit.nullable(),
    after_usd: limit.nullable(),
  }),
  z.object({
    type: z.literal('rate'),
    ...about,
    limit: z.string().meta({ description: 'Such as key:ci or model:gpt-4o.' }),
    fields: z.array(fieldChangeSchema),
  }),
] as const

const objectEffects = [
  z.object({
    type: z.literal('objects'),
    ...about,
    kind: z.enum(['channels', 'groups', 'users']),
    change: z.enum(['added', 'removed', 'disabled', 'enabled']),
    objects: namesSchema,
  }),
  z.object({
    type: z.literal('object_fields'),
    ...about,
    kind: z.enum(['channels', 'models', 'groups', 'budgets', 'keys']),
    name: z.string(),
    fields: namesSchema,
  }),
  z.object({ type: z.literal('setting'), ...about, setting: z.string(), fields: z.array(fieldChangeSchema) }),
  z.object({ type: z.literal('restart'), ...about, settings: namesSchema }),
] as const

const effectSchema = z.discriminatedUnion('type', [
  ...modelEffects,
  ...routeEffects,
  ...priceEffects,
  ...limitEffects,
  ...objectEffects,
])

export const effectsSchema = z.object({
  effects: z.array(effectSchema).meta({ description: 'Those that break something come first.' }),
  more_effects: z.int().nonnegative().meta({ description: 'How many are not listed.' }),
})

export type Effect = Readonly<z.output<typeof effectSchema>>
export type Effects = Readonly<z.output<typeof effectsSchema>>
export type NameList = Readonly<z.output<typeof namesSchema>>
export type TargetShare = Readonly<z.output<typeof shareSchema>>
export type RateChange = Readonly<z.output<typeof rateChangeSchema>>
export type FieldChange = Readonly<z.output<typeof fieldChangeSchema>>
