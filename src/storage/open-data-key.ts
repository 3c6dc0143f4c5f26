import type { Kysely } from 'kysely'
import { SEALING_KEY_BYTES, type Sealer } from '../kit/bytes/seal.ts'
import type { Random } from '../kit/random/random.ts'
import type { Tables } from './tables.ts'

/** The sealer for new values, and the sealers that may have sealed earlier ones. */
export interface Sealing {
  readonly sealer: Sealer
  readonly previous: readonly Sealer[]
  readonly random: Random
}

export interface DataKey {
  readonly bytes: Buffer
  /** `lost`: another secret sealed the key, so that nothing that the key sealed can be read without that secret. */
  readonly state: 'opened' | 'resealed' | 'made' | 'lost'
}

/** Separates the name of a key from the rest of the name of a row, for keys that other secrets sealed. */
const ASIDE = '|'
const ASIDE_CHARACTERS = 16

/** Whether the row has the key of another secret, which only a start with that secret reads. */
export function isKeyAside(name: string): boolean {
  return name.includes(ASIDE)
}

/**
 * Opens the key that seals the values stored under this name. The installation's secret seals only the key itself.
 * After a change of that secret only the key has to be sealed again, not all stored values. If several processes
 * start at once, one stores its key and the others use it. A key that another secret sealed stays in a row of its own,
 * so that a start with a wrong secret destroys nothing: the next start with the right one uses it again.
 */
export async function openDataKey(
  database: Kysely<Tables>,
  name: string,
  sealing: Sealing,
): Promise<DataKey> {
  for (;;) {
    const sealed = await readSealed(database, name)
    const { text, state } = openSealed(sealed, name, sealing)
    if (state === 'opened') return { bytes: Buffer.from(text, 'base64url'), state }
    const aside = state === 'lost' ? await findAside(database, name, sealing) : undefined
    if (state === 'lost' && sealed !== undefined) await putAside(database, name, sealed)
    const key = aside ?? { text, state }
    if (!(await replaceSealed(database, { name, sealed, text: key.text }, sealing))) continue
    if (aside !== undefined) await database.deleteFrom('data_keys').where('name', '=', aside.row).execute()
    return { bytes: Buffer.from(key.text, 'base64url'), state: key.state }
  }
}

/** Finds a key that was put aside and that a known secret opens. */
async function findAside(
  database: Kysely<Tables>,
  name: string,
  sealing: Sealing,
): Promise<(OpenedText & { readonly row: string }) | undefined> {
  const rows = await database.selectFrom('data_keys').select(['name', 'sealed']).execute()
  for (const row of rows) {
    if (!row.name.startsWith(name + ASIDE)) continue
    const found = openSealed(row.sealed, name, sealing)
    if (found.state !== 'lost') return { ...found, row: row.name }
  }
  return undefined
}

async function putAside(database: Kysely<Tables>, name: string, sealed: string): Promise<void> {
  await database
    .insertInto('data_keys')
    .values({ name: `${name}${ASIDE}${sealed.slice(-ASIDE_CHARACTERS)}`, sealed })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

async function readSealed(database: Kysely<Tables>, name: string): Promise<string | undefined> {
  const rows = database.selectFrom('data_keys').select('sealed').where('name', '=', name)
  return (await rows.executeTakeFirst())?.sealed
}

interface OpenedText {
  readonly text: string
  readonly state: DataKey['state']
}

function openSealed(
  sealed: string | undefined,
  name: string,
  { sealer, previous, random }: Sealing,
): OpenedText {
  const fresh = () => random.bytes(SEALING_KEY_BYTES).toString('base64url')
  if (sealed === undefined) return { text: fresh(), state: 'made' }
  const own = sealer.open(sealed, boundTo(name))
  if (own !== undefined) return { text: own, state: 'opened' }
  for (const earlier of previous) {
    const text = earlier.open(sealed, boundTo(name))
    if (text !== undefined) return { text, state: 'resealed' }
  }
  return { text: fresh(), state: 'lost' }
}

interface Replacement {
  readonly name: string
  /** The value to be replaced; undefined where there was none. */
  readonly sealed: string | undefined
  readonly text: string
}

/** False where another process has stored a key in the meantime. */
async function replaceSealed(
  database: Kysely<Tables>,
  { name, sealed: earlier, text }: Replacement,
  { sealer }: Sealing,
): Promise<boolean> {
  const sealed = sealer.seal(text, boundTo(name))
  if (earlier !== undefined) {
    const rows = database.updateTable('data_keys').set({ sealed }).where('name', '=', name)
    const { numUpdatedRows } = await rows.where('sealed', '=', earlier).executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  }
  const { numInsertedOrUpdatedRows = 0n } = await database
    .insertInto('data_keys')
    .values({ name, sealed })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}

function boundTo(name: string): string {
  return `data_keys|${name}`
}
