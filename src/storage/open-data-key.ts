import type { Kysely } from 'kysely'
import { SEALING_KEY_BYTES, type Sealer } from '../kit/bytes/seal.ts'
import type { Random } from '../kit/random/random.ts'
import type { Tables } from './tables.ts'

/** The key that seals from now on, and those that may have sealed before. */
export interface Sealing {
  readonly sealer: Sealer
  readonly previous: readonly Sealer[]
  readonly random: Random
}

export interface DataKey {
  readonly bytes: Buffer
  /** `lost`: another secret sealed it, so that nothing that it sealed can be read any more. */
  readonly state: 'opened' | 'resealed' | 'made' | 'lost'
}

/**
 * The key that seals what is stored under this name. Only the key itself is sealed by the installation's
 * secret, so that another secret seals one value anew and not all that is stored.
 */
export async function openDataKey(
  database: Kysely<Tables>,
  name: string,
  { sealer, previous, random }: Sealing,
): Promise<DataKey> {
  const boundTo = `data_keys|${name}`
  const row = await database
    .selectFrom('data_keys')
    .select('sealed')
    .where('name', '=', name)
    .executeTakeFirst()
  const store = async (text: string, state: DataKey['state']): Promise<DataKey> => {
    const sealed = sealer.seal(text, boundTo)
    await database
      .insertInto('data_keys')
      .values({ name, sealed })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ sealed }))
      .execute()
    return { bytes: Buffer.from(text, 'base64url'), state }
  }
  const fresh = () => random.bytes(SEALING_KEY_BYTES).toString('base64url')
  if (row === undefined) return store(fresh(), 'made')
  const own = sealer.open(row.sealed, boundTo)
  if (own !== undefined) return { bytes: Buffer.from(own, 'base64url'), state: 'opened' }
  for (const earlier of previous) {
    const text = earlier.open(row.sealed, boundTo)
    if (text !== undefined) return store(text, 'resealed')
  }
  return store(fresh(), 'lost')
}
