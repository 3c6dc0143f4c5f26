// Drafts as clients of the admin API see them. This file imports no code but schemas, so that a browser can import it.
import { z } from 'zod'
import { authorFactField } from '../audit/actor-contract.ts'
import { mergeConflictSchema, previewFields } from '../config/config-contract.ts'

const time = z.iso.datetime()

const summaryFields = {
  id: z.string(),
  name: z.string(),
  comment: z.string().nullable(),
  author: z.string(),
  author_fact: authorFactField,
  created_at: time,
  changed_at: time,
  expires_at: time.meta({ description: 'The draft is deleted then, unless it is changed before.' }),
  revision: z
    .int()
    .positive()
    .meta({ description: 'The number of the draft’s state; each change makes another.' }),
  base_version: z.int().nonnegative().meta({ description: 'The version that the draft is a change of.' }),
  outdated: z.boolean().meta({ description: 'Whether there is a newer version: rebase the draft first.' }),
}

export const draftSummarySchema = z.object(summaryFields)
export const draftListSchema = z.object({ data: z.array(draftSummarySchema) })

const fieldDiffSchema = z.object({
  field: z.string(),
  before: z.json().optional().meta({ description: 'Absent where the object had no such field.' }),
  after: z.json().optional(),
})

const objectDiffSchema = z.object({
  kind: z.enum(['channels', 'models', 'groups', 'users', 'budgets', 'settings']),
  name: z.string(),
  change: z.enum(['added', 'changed', 'removed']),
  owner: z.enum(['file', 'api']).meta({
    description:
      'file: the configuration file has the object by now, so that the draft changes nothing of it.',
  }),
  fields: z.array(fieldDiffSchema).meta({ description: 'Secrets are shown by their last four characters.' }),
})

export const draftViewSchema = z.object({
  ...summaryFields,
  ...previewFields,
  diff: z
    .array(objectDiffSchema)
    .meta({ description: 'What applying it would change, by object and field.' }),
  conflicts: z
    .array(mergeConflictSchema)
    .meta({ description: 'Objects that newer versions changed as well; shown as the draft has them.' }),
})

export const appliedDraftSchema = z.object({
  version: z.int().nonnegative().meta({ description: 'The version that is in force now.' }),
  draft: draftSummarySchema,
})

const nameField = z
  .string({ error: 'must be a name' })
  .trim()
  .min(1, { error: 'must be a name' })
  .max(100, { error: 'must be at most 100 characters' })
const commentField = z
  .string({ error: 'must be a text' })
  .max(500, { error: 'must be at most 500 characters' })
const revisionField = z
  .int({ error: 'must be the number of a revision' })
  .positive({ error: 'must be the number of a revision' })

export const createDraftSchema = z.strictObject({
  name: nameField,
  comment: commentField.optional(),
  from_version: z
    .int({ error: 'must be the number of a version' })
    .nonnegative({ error: 'must be the number of a version' })
    .optional()
    .meta({
      description: 'The version whose content it begins with: the newest unless given, 0 for nothing.',
    }),
})
export const changeDraftSchema = z.strictObject({
  name: nameField.optional(),
  comment: commentField.nullable().optional(),
})
export const applyDraftSchema = z
  .strictObject({
    comment: commentField.optional(),
    revision: revisionField
      .optional()
      .meta({ description: 'Refused where the draft is at another one by now.' }),
  })
  .optional()
export const rebaseDraftSchema = z
  .strictObject({
    prefer: z
      .enum(['draft', 'newest'], { error: 'must be draft or newest' })
      .optional()
      .meta({ description: 'What stays of each conflict that "choices" does not name.' }),
    choices: z
      .array(
        z.strictObject({
          ...mergeConflictSchema.pick({ kind: true, name: true }).shape,
          stays: z.enum(['draft', 'newest'], { error: 'must be draft or newest' }),
        }),
      )
      .max(1_000)
      .optional(),
  })
  .optional()

export type DraftSummary = Readonly<z.output<typeof draftSummarySchema>>
export type DraftList = Readonly<z.output<typeof draftListSchema>>
export type DraftView = Readonly<z.output<typeof draftViewSchema>>
export type ObjectDiff = Readonly<z.output<typeof objectDiffSchema>>
export type AppliedDraft = Readonly<z.output<typeof appliedDraftSchema>>
export type CreateDraft = Readonly<z.output<typeof createDraftSchema>>
export type ChangeDraft = Readonly<z.output<typeof changeDraftSchema>>
export type ApplyDraft = Readonly<z.output<typeof applyDraftSchema>>
export type RebaseDraft = Readonly<z.output<typeof rebaseDraftSchema>>
