// The settings of the running process as clients of the admin API see them. This file imports no code but zod, so that
// a browser can import it.
import { z } from 'zod'

const time = z.iso.datetime()

const certificateSchema = z.object({
  subject: z.string(),
  issuer: z.string(),
  names: z.array(z.string()).meta({ description: 'The host names and addresses that it is for.' }),
  expires_at: time,
  fingerprint: z.string().meta({ description: 'SHA-256, as OpenSSL writes it.' }),
})

const sectionSchema = z.object({
  name: z.string().meta({ description: 'As in the configuration file.' }),
  owner: z
    .enum(['file', 'api', 'environment', 'default'])
    .meta({ description: 'Who says so; default: nobody does.' }),
  editable: z.boolean().meta({
    description: 'Whether this API may change it: it applies without a restart, and is not in the file.',
  }),
  restart: z.boolean().meta({ description: 'Whether a change takes effect only after a restart.' }),
  value: z
    .json()
    .meta({ description: 'What is in force, in the words of the configuration, without secrets.' }),
  written: z.json().meta({
    description:
      'What the file or this API says of it, secrets by their last four characters; null: nothing.',
  }),
  schema: z
    .record(z.string(), z.json())
    .meta({ description: 'The JSON Schema of the section, of that of the configuration file.' }),
})

/** A value in the words of the configuration file. */
export const changeSettingSchema = z.strictObject({ value: z.json() })

const model = z.string()
const models = z.array(z.string())
const owned = {
  object: z.enum(['keys', 'groups', 'users', 'budgets']),
  owner: z.string().meta({ description: 'The name of the object that has it.' }),
}

/** A kind of warning, and its values. */
const warningFactSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['no_channels', 'admin_off', 'unencrypted_listener']), values: z.object({}) }),
  z.object({ kind: z.enum(['certificate_early', 'certificate_ended']), values: z.object({ at: time }) }),
  z.object({ kind: z.literal('unencrypted_channel'), values: z.object({ channel: z.string() }) }),
  z.object({ kind: z.enum(['split_weights', 'unserved_rate']), values: z.object({ model }) }),
  z.object({
    kind: z.literal('absent_scope'),
    values: z.object({
      budget: z.string(),
      scope: z.string().meta({ description: 'Such as group:search.' }),
    }),
  }),
  z.object({ kind: z.enum(['unpriced_refused', 'unpriced_uncounted']), values: z.object({ models }) }),
  z.object({
    kind: z.literal('refused_for_price'),
    values: z.object({
      refusals: z.array(
        z.object({
          model,
          keys: z.array(z.string()).optional().meta({ description: 'Names; absent: it is refused to all.' }),
        }),
      ),
    }),
  }),
  z.object({
    kind: z.enum(['unserved_model', 'unmatched_pattern', 'unserved_fallback', 'ungranted_fallback']),
    values: z.object({ ...owned, model }),
  }),
  z.object({
    kind: z.literal('withheld_by_group'),
    values: z.object({ ...owned, model, group: z.string() }),
  }),
  z.object({
    kind: z.literal('leads_to_itself'),
    values: z.object({ address: z.string(), key: z.string() }).meta({ description: 'Two variables.' }),
  }),
  z.object({
    kind: z.literal(['unreadable_prices', 'kept_prices']),
    values: z.object({ path: z.string(), reason: z.string() }),
  }),
])

export const settingsViewSchema = z.object({
  version: z.string().meta({ description: 'Of Headgate.' }),
  node: z.string(),
  platform: z.string(),
  pid: z.number(),
  started_at: time,
  source: z.string().nullable().meta({ description: 'The configuration file; null without one.' }),
  data_folder: z.string(),
  public_url: z.string().nullable(),
  certificate: certificateSchema.nullable(),
  config_version: z.number().meta({ description: 'Of the document of this API that is in use.' }),
  sections: z.array(sectionSchema),
  warnings: z.array(z.string()),
  warning_facts: z
    .array(warningFactSchema)
    .meta({ description: 'The same warnings as data, in their order.' }),
})

export type WarningFact = Readonly<z.output<typeof warningFactSchema>>
export type SettingsView = Readonly<z.output<typeof settingsViewSchema>>
export type SectionView = Readonly<z.output<typeof sectionSchema>>
