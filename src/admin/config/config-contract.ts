// The configuration as clients of the admin API see it. This file imports no code but schemas, so that a browser can
// import it.
import { z } from 'zod'
import { actorSchema } from '../audit/actor-contract.ts'
import { auditFactSchema } from '../audit/audit-contract.ts'
import { effectsSchema } from '../effects/effect-contract.ts'
import { nextAfterSchema, pageFields, searchField, sortField } from '../paging/page-fields.ts'
import { problemFactSchema } from '../problem-contract.ts'
import { wholeNumberField, wordField } from '../query-fields.ts'

const owner = z
  .enum(['file', 'api'])
  .meta({ description: 'Who defined it: the configuration file (or the environment), or this API.' })
const version = z.int().nonnegative().meta({ description: 'A version; 0 is the empty document.' })

/** A document in the configuration file's own words; the file's JSON Schema says what may stand in it. */
const documentSchema = z.record(z.string(), z.json()).meta({
  description:
    'channels, models, groups, users, budgets, retry, queue, recovery, heartbeat, limits, log, rate, unpriced, as in the file.',
})

const versionNumberField = z.string().regex(/^\d{1,15}$/, { error: 'must be the number of a version' })

const problemSchema = z.object({
  path: z.string().meta({ description: 'Such as channels[0].base_url.' }),
  message: z.string(),
  fact: problemFactSchema
    .optional()
    .meta({ description: 'The same as data; absent: the message alone says it.' }),
  owner: owner.optional(),
})

export const channelViewSchema = z
  .object({ name: z.string(), owner, disabled: z.boolean(), provider: z.string() })
  .catchall(z.json())
  .meta({ description: 'As in the configuration file; secrets are shown by their last four characters.' })
export const channelListSchema = z.object({
  version,
  data: z.array(channelViewSchema),
  next_after: nextAfterSchema,
})

/** A model, a group, a budget, or the limits of a user. */
export const objectViewSchema = z
  .object({ name: z.string(), owner })
  .catchall(z.json())
  .meta({ description: 'As in the configuration file, with its name.' })
export const objectListSchema = z.object({
  version,
  data: z.array(objectViewSchema),
  next_after: nextAfterSchema,
})

export const objectSorts = ['name'] as const
export const channelSorts = ['name', 'provider', 'priority'] as const

export const listObjectsSchema = z.strictObject({
  q: searchField,
  name: wordField.meta({ description: 'The whole name.' }).optional(),
  owner: z.enum(['file', 'api'], { error: 'must be file or api' }).optional(),
  sort: sortField(objectSorts),
  ...pageFields,
})
export const listChannelsSchema = listObjectsSchema.extend({
  provider: wordField.meta({ description: 'The id of a provider, such as openai.' }).optional(),
  status: z.enum(['enabled', 'disabled'], { error: 'must be enabled or disabled' }).optional(),
  sort: sortField(channelSorts),
})

export const configViewSchema = z.object({
  version: version.meta({ description: 'The newest version; send it back as base_version or If-Match.' }),
  serving: version.meta({ description: 'The version in use; an older one if the newest cannot be used.' }),
  document: documentSchema.meta({ description: 'The document that this API owns, of the newest version.' }),
  effective: z.object({
    channels: z.array(channelViewSchema),
    models: z.array(objectViewSchema),
    groups: z.array(objectViewSchema),
    users: z.array(objectViewSchema).meta({ description: 'Limits of users.' }),
    budgets: z.array(objectViewSchema),
    settings: z.record(z.string(), z.object({ owner, value: z.json() })),
  }),
  problems: z.array(problemSchema),
  warnings: z.array(z.string()),
})

const changeFactsField = z
  .array(auditFactSchema)
  .meta({ description: 'The same changes as data, in their order.' })

const versionViewSchema = z.object({
  version: z.int().positive(),
  created_at: z.iso.datetime(),
  author: z.string(),
  credential: z
    .string()
    .meta({ description: 'How the author has shown who they are; empty for older versions.' }),
  address: z.string(),
  actor: actorSchema.meta({ description: 'Author, credential and address as data.' }),
  action: z.enum(['change', 'undo', 'restore']),
  comment: z.string().nullable(),
  undoes: version
    .nullable()
    .meta({ description: 'The version that it undoes, if its comment says no more.' }),
  restored_from: version.nullable(),
  status: z
    .enum(['serving', 'not_usable', 'superseded'])
    .meta({ description: 'not_usable: the newest, but it conflicts with the file or cannot be unsealed.' }),
  changes: z.array(z.string()).meta({ description: 'Differences from the previous version.' }),
  change_facts: changeFactsField,
})
export const versionListSchema = z.object({
  data: z.array(versionViewSchema),
  next_before: z.int().nullable().meta({ description: 'Where the next page begins; null on the last page.' }),
})
export const versionDetailSchema = versionViewSchema.extend({
  document: documentSchema.nullable().meta({ description: 'Null if it is no longer stored.' }),
})

export const diffVersionsSchema = z.strictObject({
  from: versionNumberField
    .meta({ description: 'The version before unless given; 0 is the empty document.' })
    .optional(),
})

export const versionDiffSchema = z.object({
  from: version,
  to: version,
  changes: z.array(z.string()).meta({ description: 'What the later one has otherwise, secrets masked.' }),
  change_facts: changeFactsField,
})

/** The effect of a change that is not made. */
export const previewFields = {
  ok: z.boolean().meta({ description: 'Whether it could be applied.' }),
  problems: z.array(problemSchema),
  warnings: z.array(z.string()),
  changes: z.array(z.string()).meta({ description: 'Differences of the document, a sentence each.' }),
  change_facts: changeFactsField,
  ...effectsSchema.shape,
}

export const mergeConflictSchema = z.object({
  kind: z.enum(['channels', 'models', 'groups', 'users', 'budgets', 'settings']),
  name: z.string(),
  mine: z.enum(['added', 'changed', 'removed']).meta({ description: 'By the draft, or by the undo.' }),
  theirs: z.enum(['added', 'changed', 'removed']).meta({ description: 'By versions since.' }),
})

export const changePreviewSchema = z.object({
  ...previewFields,
  conflicts: z
    .array(mergeConflictSchema)
    .meta({ description: 'Objects that later versions changed, and that it would put back as well.' }),
})

export const checkViewSchema = z.object({
  ...previewFields,
  models_added: z.array(z.string()),
  models_removed: z.array(z.string()),
  keys: z
    .array(z.object({ id: z.string(), name: z.string(), loses: z.array(z.string()) }))
    .meta({ description: 'Keys that would lose models.' }),
})

const baseVersion = z
  .int({ error: 'must be the number of a version' })
  .nonnegative({ error: 'must be the number of a version' })
  .optional()
const comment = z
  .string({ error: 'must be a text' })
  .max(500, { error: 'must be at most 500 characters' })
  .optional()

export const putConfigSchema = z.strictObject({
  document: documentSchema,
  base_version: baseVersion,
  comment,
})
export const checkConfigSchema = z.strictObject({ document: documentSchema })
export const stepConfigSchema = z.strictObject({ base_version: baseVersion, comment }).optional()
export const undoVersionSchema = z
  .strictObject({
    base_version: baseVersion,
    comment,
    force: z
      .boolean({ error: 'must be true or false' })
      .optional()
      .meta({ description: 'Puts back objects that later versions changed, too.' }),
  })
  .optional()
/** An object as it would be: whole, changed by a patch of RFC 7396, or gone. */
/** The parts of the configuration that are changed one by one. */
const changedKinds = [
  'channels',
  'models',
  'groups',
  'user-limits',
  'budgets',
  'settings',
  'alert-rules',
  'alert-receivers',
] as const

export const previewObjectSchema = z.strictObject({
  kind: z.enum(changedKinds, {
    error: `must be one of ${changedKinds.join(', ')}`,
  }),
  name: z.string({ error: 'must be a name' }).min(1, { error: 'must be a name' }).max(512),
  change: z.enum(['create', 'replace', 'patch', 'remove'], {
    error: 'must be create, replace, patch or remove',
  }),
  object: z.record(z.string(), z.json()).optional().meta({
    description: 'The object, or the patch. A setting is the member "value".',
  }),
})
export const listVersionsSchema = z.strictObject({
  limit: wholeNumberField(1, 100).optional(),
  before: versionNumberField.optional(),
})
export const objectSchema = z
  .record(z.string(), z.json())
  .meta({ description: 'As in the configuration file. The read-only member "owner" is ignored.' })

export type ConfigView = Readonly<z.output<typeof configViewSchema>>
export type ChannelView = Readonly<z.output<typeof channelViewSchema>>
export type ObjectView = Readonly<z.output<typeof objectViewSchema>>
export type VersionView = Readonly<z.output<typeof versionViewSchema>>
export type VersionDetail = Readonly<z.output<typeof versionDetailSchema>>
export type VersionList = Readonly<z.output<typeof versionListSchema>>
export type ChangeFields = Pick<VersionDiff, 'changes' | 'change_facts'>
export type VersionDiff = Readonly<z.output<typeof versionDiffSchema>>
export type PreviewObject = Readonly<z.output<typeof previewObjectSchema>>
export type ChangePreview = Readonly<z.output<typeof changePreviewSchema>>
export type CheckView = Readonly<z.output<typeof checkViewSchema>>
