import type { Kysely, Transaction } from 'kysely'
import type { ExternalIdentity, LinkedIdentity, UserId } from '../../access/people/user.ts'
import type { IdentityRemoval } from '../../access/people/user-store.ts'
import type { AuditRecord } from '../../canonical/audit.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { appendAudit } from '../audit-sql.ts'
import { UniqueConstraintError } from '../sqlite/store-fault.ts'
import type { Tables } from '../tables.ts'

export async function findIdentityOwner(
  database: Kysely<Tables>,
  { issuer, subject }: ExternalIdentity,
): Promise<string | undefined> {
  const found = database.selectFrom('identities').select('user_id').where('issuer', '=', issuer)
  return (await found.where('subject', '=', subject).executeTakeFirst())?.user_id
}

export async function readIdentities(
  database: Kysely<Tables>,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, LinkedIdentity>> {
  const rows = await database.selectFrom('identities').selectAll().where('user_id', 'in', userIds).execute()
  return new Map(
    rows.map(({ user_id, issuer, subject, email, linked_at_ms }) => [
      user_id,
      { issuer, subject, email: email ?? undefined, linkedAtMs: linked_at_ms },
    ]),
  )
}

/** Throws `identity_in_use` where another user has the identity, or where the user has a different one. */
export async function insertIdentity(
  transaction: Transaction<Tables>,
  id: UserId,
  { issuer, subject, email, linkedAtMs }: LinkedIdentity,
): Promise<void> {
  const row = { user_id: id, issuer, subject, email: email ?? null, linked_at_ms: linkedAtMs }
  try {
    await transaction.insertInto('identities').values(row).execute()
  } catch (error) {
    throw error instanceof UniqueConstraintError ? new GatewayError('identity_in_use') : error
  }
}

interface IdentityLink {
  readonly id: UserId
  readonly identity: LinkedIdentity
  readonly record: AuditRecord
}

export async function linkIdentity(
  transaction: Transaction<Tables>,
  { id, identity, record }: IdentityLink,
): Promise<boolean> {
  const present = transaction.selectFrom('users').select('id').where('id', '=', id)
  if ((await present.where('deleted_at_ms', 'is', null).executeTakeFirst()) === undefined) return false
  await insertIdentity(transaction, id, identity)
  await appendAudit(transaction, record)
  return true
}

export async function unlinkIdentity(
  transaction: Transaction<Tables>,
  { id, record, except }: IdentityRemoval & { readonly id: UserId },
): Promise<boolean> {
  const deleted = transaction.deleteFrom('identities').where('user_id', '=', id)
  const { numDeletedRows } = await deleted.executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return false
  const others = transaction.deleteFrom('sessions').where('user_id', '=', id)
  await others.where('id', '!=', except ?? '').execute()
  await appendAudit(transaction, record)
  return true
}
