// The fields that queries of usage and of rows share.
import { z } from 'zod'
import { dayOrMomentField, timeZoneField, wordField } from '../query-fields.ts'

/** The fields that filter by who asked for what: all that are given must match. */
export const subjectQueryFields = {
  key: wordField.meta({ description: "A key's id or name." }).optional(),
  user: wordField.optional(),
  group: wordField.optional(),
  model: wordField.meta({ description: 'The public name.' }).optional(),
  upstream_model: wordField.optional(),
  channel: wordField.optional(),
  tags: z
    .string()
    .max(4_096, { error: 'must be 4096 characters at most' })
    .meta({ description: 'Such as team=search,feature=chat; values in percent-encoding.' })
    .optional(),
}

export const spanFields = {
  since: dayOrMomentField.meta({ description: 'Ended at this time or later.' }).optional(),
  until: dayOrMomentField.meta({ description: 'Ended before this time.' }).optional(),
  time_zone: timeZoneField.meta({ description: 'By which days begin; UTC if absent.' }).optional(),
}

export const moneyFields = {
  cost_usd: z.number().meta({ description: 'What providers ask, in US dollars.' }),
  charged_usd: z.number().meta({ description: 'What the caller is charged.' }),
}
