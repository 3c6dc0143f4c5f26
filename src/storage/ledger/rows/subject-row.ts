import type { KeyId } from '../../../access/key.ts'
import type { PriceVersionId } from '../../../catalog/prices/price.ts'
import { brand } from '../../../kit/brand.ts'
import type { LedgerSubject } from '../../../metering/ledger-row.ts'
import { DamagedStoreError } from '../../sqlite/damaged-store-error.ts'
import type { subjectColumns } from '../ledger-tables.ts'

export type SubjectField = (typeof subjectColumns)[number]
/** The names of a subject; an absent name is empty. */
export type SubjectRow = Readonly<Record<SubjectField, string>>
export type TagSet = Readonly<Record<string, string>>

/** Reads the subject of a row. */
export function readSubject(
  row: SubjectRow,
  tags: TagSet,
): Omit<LedgerSubject, 'id' | 'requestId' | 'attempt' | 'startedAtMs'> {
  return {
    keyId: brand<KeyId>(row.key_id),
    keyName: row.key_name,
    userName: row.user_id === '' ? undefined : row.user_id,
    group: row.group_name === '' ? undefined : row.group_name,
    tags,
    model: row.model,
    channel: row.channel,
    upstreamModel: row.upstream_model,
    priceVersion: row.price_version === '' ? undefined : brand<PriceVersionId>(row.price_version),
  }
}

/** Parses a set of tags that the packer wrote. */
export function parseTagSet(text: string): TagSet {
  const pairs: unknown = JSON.parse(text)
  if (Array.isArray(pairs) && pairs.every(isPair)) return Object.fromEntries(pairs)
  throw new DamagedStoreError('the ledger has a set of tags that is damaged')
}

function isPair(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((item) => typeof item === 'string')
}
