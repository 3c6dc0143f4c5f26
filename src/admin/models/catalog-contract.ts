// What is served as clients of the admin API see it. This file imports no code but schemas, so that a browser can
// import it.
import { z } from 'zod'
import { nextAfterSchema, pageFields, searchField, sortField } from '../paging/page-fields.ts'
import { wordField } from '../query-fields.ts'

const targetViewSchema = z.object({
  channel: z.string(),
  upstream_model: z.string(),
  priority: z.number().meta({ description: 'Of the channel; higher goes first.' }),
  weight: z.number().meta({ description: 'Its share beside those of the same priority.' }),
  priced: z.boolean().meta({ description: 'Whether a price is known.' }),
})

const servedModelSchema = z.object({
  name: z.string().meta({ description: 'The public name.' }),
  alias: z.boolean().meta({ description: 'Whether the configuration gives it targets of its own.' }),
  owned_by: z.string().meta({ description: 'The provider of its first target.' }),
  display_name: z.string().nullable(),
  description: z.string().nullable(),
  strategy: z.string().nullable().meta({
    description: 'The order among targets of one priority; null, as the next two, for members.',
  }),
  targets: z.array(targetViewSchema).nullable().meta({ description: 'Higher priority first.' }),
  fallbacks: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Public names that are tried where every target failed, in order.' }),
  charged: z.array(z.record(z.string(), z.json())).meta({
    description:
      "The prices that callers are charged now, each once, as a model's price in the configuration: for members and with `key` times the multiplier of the group. A target without a price adds none.",
  }),
})

export const servedModelListSchema = z.object({
  data: z.array(servedModelSchema),
  unlisted: z.array(z.string()).meta({
    description: 'Channels that serve what their upstream lists, of which no list could be read yet.',
  }),
  next_after: nextAfterSchema,
})

export const listServedModelsSchema = z.strictObject({
  q: searchField,
  key: wordField.meta({ description: 'What this key may use: its id, or its name.' }).optional(),
  channel: wordField.meta({ description: 'What has a target on this channel.' }).optional(),
  sort: sortField(['name']),
  ...pageFields,
})

export type ServedModelView = Readonly<z.output<typeof servedModelSchema>>
export type ServedModelList = Readonly<z.output<typeof servedModelListSchema>>
export type ListServedModels = Readonly<z.input<typeof listServedModelsSchema>>
