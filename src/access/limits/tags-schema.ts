import { z } from 'zod'

/** What a request is labelled with, for budgets and reports. */
export type Tags = Readonly<Record<string, string>>

/** Whose request it is, of a caller's own customers. */
export const END_USER_TAG = 'end_user'

export const MOST_TAGS = 16
const MOST_NAME_CHARACTERS = 64
const MOST_VALUE_CHARACTERS = 256

const nameExplanation = `must be 1 to ${MOST_NAME_CHARACTERS} lower-case letters, digits or ". _ -", such as "team"`
const valueExplanation = `must be 1 to ${MOST_VALUE_CHARACTERS} printable characters, in quotes where it is a number`

export const tagNameSchema = z
  .string({ error: nameExplanation })
  .regex(new RegExp(`^[a-z0-9][a-z0-9._-]{0,${MOST_NAME_CHARACTERS - 1}}$`), { error: nameExplanation })

export const tagValueSchema = z
  .string({ error: valueExplanation })
  .regex(new RegExp(`^[^\\p{C}\\p{Z}](?:[^\\p{C}]{0,${MOST_VALUE_CHARACTERS - 2}}[^\\p{C}\\p{Z}])?$`, 'u'), {
    error: valueExplanation,
  })

/** The field `tags` of a key. */
export const tagsSchema = z
  .record(tagNameSchema, tagValueSchema, { error: 'must be a map of tags, such as { team: search }' })
  .refine((tags) => Object.keys(tags).length <= MOST_TAGS, {
    error: `must have at most ${MOST_TAGS} entries`,
  })
  .refine((tags) => !Object.hasOwn(tags, END_USER_TAG), {
    error: `cannot have "${END_USER_TAG}", which is read from each request; see end_user_budget`,
  })
