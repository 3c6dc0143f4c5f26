// Providers as clients of the admin API see them. This file imports no code but zod, so that a browser can import it.
import { z } from 'zod'

const providerSettingSchema = z.object({
  name: z.string().meta({ description: 'Its name under `credentials` of a channel.' }),
  form: z.string().meta({ description: 'What a value looks like, such as "a date, such as 2024-10-21".' }),
  pattern: z.string().meta({ description: 'A regular expression that a value matches.' }),
  required: z.boolean(),
  secret: z.boolean(),
  file: z.boolean().meta({ description: 'Whether it is the path of a file on the server.' }),
  needs: z.string().nullable().meta({ description: 'Another setting, without which it has no effect.' }),
})

const providerViewSchema = z.object({
  id: z.string(),
  formats: z.array(z.string()).meta({ description: 'The first is used where a channel names none.' }),
  base_url: z.string().nullable().meta({ description: 'Where a channel names none.' }),
  base_url_by: z.enum(['default', 'settings', 'channel', 'gateway']).meta({
    description:
      'Who says the address: the provider by default, the settings of the channel, the channel itself, which must give it; or Headgate, which serves it.',
  }),
  key: z
    .enum(['required', 'optional', 'none'])
    .meta({ description: 'optional: settings may stand in its place, or the server may need none.' }),
  key_variable: z
    .string()
    .nullable()
    .meta({ description: 'The environment variable of its key by custom, such as OPENAI_API_KEY.' }),
  settings: z.array(providerSettingSchema),
  models: z
    .array(z.string())
    .nullable()
    .meta({ description: 'All that it serves, where nothing lists them.' }),
  lists_models: z.boolean().meta({ description: 'Whether `models: "*"` reads its list.' }),
  is_local: z.boolean().meta({
    description: 'Whether it runs on a machine of your own: its address then needs allow_private.',
  }),
  embeddings: z.boolean(),
})

export const providerListSchema = z.object({ data: z.array(providerViewSchema) })

export type ProviderView = Readonly<z.output<typeof providerViewSchema>>
