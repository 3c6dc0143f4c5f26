import { z } from 'zod'
import {
  END_USER_TAG,
  MAX_TAG_NAME_CHARACTERS,
  MAX_TAG_VALUE_CHARACTERS,
  tagName,
  tagValue,
} from '../../canonical/tags.ts'

export const MAX_TAGS = 16

const nameExplanation = `must be 1 to ${MAX_TAG_NAME_CHARACTERS} lower-case letters, digits or ". _ -", such as "team"`
const valueExplanation = `must be 1 to ${MAX_TAG_VALUE_CHARACTERS} printable characters, in quotes where it is a number`

export const tagNameSchema = z.string({ error: nameExplanation }).regex(tagName, { error: nameExplanation })

export const tagValueSchema = z
  .string({ error: valueExplanation })
  .regex(tagValue, { error: valueExplanation })

/** The field `tags` of a key. */
export const tagsSchema = z
  .record(tagNameSchema, tagValueSchema, { error: 'must be a map of tags, such as { team: search }' })
  .refine((tags) => Object.keys(tags).length <= MAX_TAGS, {
    error: `must have at most ${MAX_TAGS} entries`,
  })
  .refine((tags) => !Object.hasOwn(tags, END_USER_TAG), {
    error: `cannot have "${END_USER_TAG}", which is read from each request; see end_user_budget`,
  })
