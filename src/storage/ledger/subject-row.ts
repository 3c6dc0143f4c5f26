import { z } from 'zod'
import type { KeyId } from '../../access/key.ts'
import type { PriceVersionId } from '../../catalog/prices/price.ts'
import { brand } from '../../kit/values/brand.ts'
import type { LedgerSubject } from '../../metering/ledger-row.ts'
import { subjectFields } from './packed-batch.ts'

/** For a query of `subjects`. */
export const subjectColumns = subjectFields.map((name) => `subjects.${name}`).join(', ')

export const subjectSchema = z.object({
  key_id: z.string(),
  key_name: z.string(),
  user_id: z.string(),
  group_name: z.string(),
  tags: z.string(),
  model: z.string(),
  channel: z.string(),
  upstream_model: z.string(),
  price_version: z.string(),
})
export type SubjectRow = Readonly<z.output<typeof subjectSchema>>

const tagsSchema = z.array(z.tuple([z.string(), z.string()]))

/** Who asked for what, as a row has it. */
export function readSubject(
  row: SubjectRow,
): Omit<LedgerSubject, 'id' | 'requestId' | 'attempt' | 'startedAtMs'> {
  return {
    keyId: brand<KeyId>(row.key_id),
    keyName: row.key_name,
    userId: row.user_id === '' ? undefined : row.user_id,
    group: row.group_name === '' ? undefined : row.group_name,
    tags: readTags(row.tags),
    model: row.model,
    channel: row.channel,
    upstreamModel: row.upstream_model,
    priceVersion: row.price_version === '' ? undefined : brand<PriceVersionId>(row.price_version),
  }
}

/** The tags of a subject, as the packer wrote them. */
export function readTags(text: string): Readonly<Record<string, string>> {
  return text === '' ? {} : Object.fromEntries(tagsSchema.parse(JSON.parse(text)))
}
