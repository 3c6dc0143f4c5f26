import { z } from 'zod'
import type { KeyId } from '../../../access/key.ts'
import type { PriceVersionId } from '../../../catalog/prices/price.ts'
import { brand } from '../../../kit/values/brand.ts'
import type { LedgerSubject } from '../../../metering/ledger-row.ts'
import type { subjectFields } from '../ledger-tables.ts'

export type SubjectField = (typeof subjectFields)[number]
/** The names of a subject; empty where there is none. */
export type SubjectRow = Readonly<Record<SubjectField, string>>
export type Tags = Readonly<Record<string, string>>

const tagsSchema = z.array(z.tuple([z.string(), z.string()]))

/** Who asked for what, as a row has it. */
export function readSubject(
  row: SubjectRow,
  tags: Tags,
): Omit<LedgerSubject, 'id' | 'requestId' | 'attempt' | 'startedAtMs'> {
  return {
    keyId: brand<KeyId>(row.key_id),
    keyName: row.key_name,
    userId: row.user_id === '' ? undefined : row.user_id,
    group: row.group_name === '' ? undefined : row.group_name,
    tags,
    model: row.model,
    channel: row.channel,
    upstreamModel: row.upstream_model,
    priceVersion: row.price_version === '' ? undefined : brand<PriceVersionId>(row.price_version),
  }
}

/** A set of tags, as the packer wrote it. */
export function readTags(text: string): Tags {
  return Object.fromEntries(tagsSchema.parse(JSON.parse(text)))
}
