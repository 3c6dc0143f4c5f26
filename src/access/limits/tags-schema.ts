import { z } from 'zod'
import {
  END_USER_TAG,
  MAX_TAG_NAME_CHARACTERS,
  MAX_TAG_VALUE_CHARACTERS,
  tagName,
  tagValue,
} from '../../canonical/tags.ts'
import { withFact, withFormat } from '../../kit/schema/input-fact.ts'

export const MAX_TAGS = 16

const nameExplanation = withFormat(
  `must be 1 to ${MAX_TAG_NAME_CHARACTERS} lower-case letters, digits or ". _ -", such as "team"`,
  'tag_name',
)
const valueExplanation = withFormat(
  `must be 1 to ${MAX_TAG_VALUE_CHARACTERS} printable characters, in quotes where it is a number`,
  'tag_value',
)

export const tagNameSchema = z.string({ error: nameExplanation }).regex(tagName, { error: nameExplanation })

export const tagValueSchema = z
  .string({ error: valueExplanation })
  .regex(tagValue, { error: valueExplanation })

/** The field `tags` of a key. */
export const tagsSchema = z
  .record(tagNameSchema, tagValueSchema, { error: 'must be a map of tags, such as { team: search }' })
  .refine((tags) => Object.keys(tags).length <= MAX_TAGS, {
    error: withFact(`must have at most ${MAX_TAGS} entries`, {
      code: 'too_many',
      values: { maximum: MAX_TAGS },
    }),
  })
  .refine((tags) => !Object.hasOwn(tags, END_USER_TAG), {
    error: `cannot have "${END_USER_TAG}", which is read from each request; see end_user_budget`,
  })
