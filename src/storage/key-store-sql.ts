import type { Kysely, Transaction } from 'kysely'
import type { Key } from '../access/key.ts'
import type { KeyStore } from '../access/key-store.ts'
import { GatewayError } from '../canonical/failure.ts'
import { readKeyRow, type Tables, writeKeyRow } from './key-table.ts'
import { UniqueViolation } from './store-fault.ts'

export function createSqlKeyStore(database: Kysely<Tables>): KeyStore {
  return {
    async list() {
      const rows = await database
        .selectFrom('keys')
        .selectAll()
        .orderBy('created_at_ms')
        .orderBy('id')
        .execute()
      return rows.map(readKeyRow)
    },
    insert: (key) => insertKey(database, key),
    async findByDigest(digest) {
      const query = database.selectFrom('keys').selectAll().where('digest', '=', digest)
      const row = await query.executeTakeFirst()
      return row === undefined ? undefined : readKeyRow(row)
    },
    async revoke(id, atMs) {
      const live = database.updateTable('keys').where('id', '=', id).where('revoked_at_ms', 'is', null)
      const { numUpdatedRows } = await live.set({ revoked_at_ms: atMs }).executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    async setDisabled(id, disabled) {
      const live = database.updateTable('keys').where('id', '=', id).where('revoked_at_ms', 'is', null)
      const { numUpdatedRows } = await live.set({ disabled: disabled ? 1 : 0 }).executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    replaceBootstrap: (keys, atMs) =>
      database.transaction().execute((transaction) => replaceBootstrap(transaction, keys, atMs)),
  }
}

async function insertKey(database: Kysely<Tables>, key: Key): Promise<void> {
  try {
    await database.insertInto('keys').values(writeKeyRow(key)).execute()
  } catch (error) {
    throw error instanceof UniqueViolation ? refuseRepeat(error, key) : error
  }
}

function refuseRepeat({ column }: UniqueViolation, key: Key): GatewayError {
  if (column === 'keys.name') {
    return new GatewayError('name_taken', {
      param: 'name',
      message: `There is a key named "${key.name}" already. Choose another name, or revoke that key first.`,
    })
  }
  return new GatewayError('invalid_field', {
    param: 'secret',
    message: `The secret of key "${key.name}" belongs to another key already, perhaps a revoked one. Choose another secret.`,
  })
}

/**
 * A bootstrap key is the same as long as its secret is. All that differ are revoked first, which frees their names, so
 * that two keys may swap names; then the wanted ones are written, reviving those that were there before.
 */
async function replaceBootstrap(
  transaction: Transaction<Tables>,
  wanted: readonly Key[],
  atMs: number,
): Promise<void> {
  const rows = await transaction.selectFrom('keys').selectAll().where('origin', '=', 'bootstrap').execute()
  const present = new Map(rows.map(readKeyRow).map((key) => [key.digest, key]))
  const changed = wanted.filter((key) => !isSameKey(key, present.get(key.digest)))
  const kept = new Set(wanted.filter((key) => !changed.includes(key)).map((key) => key.digest))
  for (const [digest, { revokedAtMs }] of present) {
    if (kept.has(digest) || revokedAtMs !== undefined) continue
    await transaction.updateTable('keys').set({ revoked_at_ms: atMs }).where('digest', '=', digest).execute()
  }
  for (const key of changed) await writeBootstrapKey(transaction, key, present.get(key.digest))
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
    throw error instanceof UniqueViolation ? refuseRepeat(error, key) : error
  }
}

function isSameKey(wanted: Key, present: Key | undefined): boolean {
  if (present === undefined) return false
  const { id, createdAtMs } = present
  return JSON.stringify(writeKeyRow({ ...wanted, id, createdAtMs })) === JSON.stringify(writeKeyRow(present))
}
