import type { Kysely, Transaction, Updateable } from 'kysely'
import { describeTerms } from '../access/describe-terms.ts'
import type { Key, KeyDigest, KeyId } from '../access/key.ts'
import type { KeyStore } from '../access/key-store.ts'
import type { Actor, AuditRecord } from '../canonical/audit.ts'
import type { GatewayError } from '../canonical/failure.ts'
import { refuse } from '../canonical/refusal.ts'
import { brand } from '../kit/brand.ts'
import { appendAudit } from './audit-sql.ts'
import { readKeyRow, readKeyRows, writeChangedTerms, writeKeyRow, writeSecrets } from './key-row.ts'
import { listKeys } from './list-keys-sql.ts'
import { UniqueConstraintError } from './sqlite/store-fault.ts'
import type { KeyTable, Tables } from './tables.ts'

export function createSqlKeyStore(database: Kysely<Tables>): KeyStore {
  return {
    async list() {
      const rows = await database
        .selectFrom('keys')
        .selectAll()
        .orderBy('created_at_ms')
        .orderBy('id')
        .execute()
      return readKeyRows(rows)
    },
    async hasAny() {
      return (await database.selectFrom('keys').select('id').limit(1).executeTakeFirst()) !== undefined
    },
    page: (query) => listKeys(database, query),
    async find(reference) {
      const rows = database.selectFrom('keys').selectAll()
      const named = rows.where('name', '=', reference).where('revoked_at_ms', 'is', null)
      const row =
        (await rows.where('id', '=', reference).executeTakeFirst()) ?? (await named.executeTakeFirst())
      return row === undefined ? undefined : readKeyRow(row)
    },
    insert: (key, record) =>
      database.transaction().execute(async (transaction) => {
        await insertKey(transaction, key)
        await appendAudit(transaction, record)
      }),
    revoke: (id, record) => changeKey(database, { id, set: { revoked_at_ms: record.atMs }, record }),
    change: (key, changed, record) =>
      changeKey(database, { id: key.id, set: writeChangedTerms(key, changed), record }).catch(
        (error: unknown) => {
          throw error instanceof UniqueConstraintError ? refuseRepeat(error, key) : error
        },
      ),
    rotate: (key, from, record) => changeKey(database, { id: key.id, from, set: writeSecrets(key), record }),
    async listUses() {
      const rows = await database.selectFrom('key_uses').selectAll().execute()
      return new Map(rows.map((row) => [brand<KeyId>(row.key_id), row.last_used_at_ms]))
    },
    writeUses: (uses) => database.transaction().execute((transaction) => writeUses(transaction, uses)),
    replaceBootstrap: (keys, atMs) =>
      database.transaction().execute(async (transaction) => {
        await replaceBootstrap(transaction, keys, atMs)
        return listBootstrap(transaction)
      }),
  }
}

const ROWS_OF_STATEMENT = 500

async function writeUses(transaction: Transaction<Tables>, uses: ReadonlyMap<KeyId, number>): Promise<void> {
  const rows = [...uses].map(([key_id, last_used_at_ms]) => ({ key_id, last_used_at_ms }))
  for (let start = 0; start < rows.length; start += ROWS_OF_STATEMENT)
    await transaction
      .insertInto('key_uses')
      .values(rows.slice(start, start + ROWS_OF_STATEMENT))
      .onConflict((conflict) =>
        conflict
          .column('key_id')
          .doUpdateSet((row) => ({ last_used_at_ms: row.ref('excluded.last_used_at_ms') })),
      )
      .execute()
}

interface KeyChange {
  readonly id: KeyId
  /** The digest that the key must have; undefined for any. */
  readonly from?: KeyDigest
  readonly set: Updateable<KeyTable>
  readonly record: AuditRecord
}

/** Changes a key that is not revoked; resolves to false if there is no such key. */
function changeKey(database: Kysely<Tables>, { id, from, set, record }: KeyChange): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const live = transaction.updateTable('keys').where('id', '=', id).where('revoked_at_ms', 'is', null)
    const expected = from === undefined ? live : live.where('digest', '=', from)
    const { numUpdatedRows } = await expected.set(set).executeTakeFirstOrThrow()
    if (numUpdatedRows > 0n) await appendAudit(transaction, record)
    return numUpdatedRows > 0n
  })
}

async function insertKey(database: Kysely<Tables>, key: Key): Promise<void> {
  try {
    await database.insertInto('keys').values(writeKeyRow(key)).execute()
  } catch (error) {
    throw error instanceof UniqueConstraintError ? refuseRepeat(error, key) : error
  }
}

function refuseRepeat({ column }: UniqueConstraintError, key: Key): GatewayError {
  if (column === 'keys.name') {
    return refuse('name_taken', {
      param: 'name',
      message: `There is a key named "${key.name}" already. Choose another name, or revoke that key first.`,
      fact: { code: 'name_in_use', values: { kind: 'key', name: key.name } },
    })
  }
  return refuse('invalid_field', {
    param: 'secret',
    message: `The secret of key "${key.name}" belongs to another key already, perhaps a revoked one. Choose another secret.`,
    fact: { code: 'secret_in_use', values: { name: key.name } },
  })
}

const byFile: Actor = { author: 'configuration file', credential: '', address: '' }

/**
 * Replaces the bootstrap keys. A bootstrap key stays the same as long as its secret does. All keys that differ are
 * revoked first, which frees their names, so that two keys may swap names. Then the wanted keys are written, and
 * existing revoked ones are revived.
 */
async function replaceBootstrap(
  transaction: Transaction<Tables>,
  wanted: readonly Key[],
  atMs: number,
): Promise<void> {
  const present = new Map((await listBootstrap(transaction)).map((key) => [key.digest, key]))
  const changed = wanted.filter((key) => !isSameKey(key, present.get(key.digest)))
  const unchanged = new Set(wanted.filter((key) => !changed.includes(key)).map((key) => key.digest))
  for (const [digest, { id, name, revokedAtMs }] of present) {
    if (unchanged.has(digest) || revokedAtMs !== undefined) continue
    await transaction.updateTable('keys').set({ revoked_at_ms: atMs }).where('digest', '=', digest).execute()
    if (!changed.some((key) => key.digest === digest))
      await appendAudit(transaction, { ...byFile, action: 'key.revoke', subject: id, details: [name], atMs })
  }
  for (const key of changed) {
    const before = present.get(key.digest)
    await writeBootstrapKey(transaction, key, before)
    const isNew = before === undefined || before.revokedAtMs !== undefined
    const action = isNew ? 'key.create' : 'key.change'
    const subject = before?.id ?? key.id
    await appendAudit(transaction, { ...byFile, action, subject, details: describeTerms(key), atMs })
  }
}

async function listBootstrap(transaction: Transaction<Tables>): Promise<readonly Key[]> {
  const rows = await transaction.selectFrom('keys').selectAll().where('origin', '=', 'bootstrap').execute()
  return readKeyRows(rows)
}

async function writeBootstrapKey(
  transaction: Transaction<Tables>,
  key: Key,
  present: Key | undefined,
): Promise<void> {
  if (present === undefined) return insertKey(transaction, key)
  const { id: _id, created_at_ms: _createdAtMs, ...row } = writeKeyRow(key)
  try {
    await transaction.updateTable('keys').set(row).where('id', '=', present.id).execute()
  } catch (error) {
    throw error instanceof UniqueConstraintError ? refuseRepeat(error, key) : error
  }
}

function isSameKey(wanted: Key, present: Key | undefined): boolean {
  if (present === undefined) return false
  const { id, createdAtMs } = present
  return JSON.stringify(writeKeyRow({ ...wanted, id, createdAtMs })) === JSON.stringify(writeKeyRow(present))
}
