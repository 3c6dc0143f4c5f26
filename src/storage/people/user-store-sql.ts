import type { Kysely, Transaction } from 'kysely'
import type { LinkId } from '../../access/people/link.ts'
import { foldUserName, type Membership, type User, type UserId } from '../../access/people/user.ts'
import type { PasswordChange, UserChange, UserStore } from '../../access/people/user-store.ts'
import type { AuditRecord } from '../../canonical/audit.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { appendAudit } from '../audit-sql.ts'
import { UniqueConstraintError } from '../sqlite/store-fault.ts'
import type { Tables } from '../tables.ts'
import { changeMembership, countMembers, dropGroup } from './group-members-sql.ts'
import { findIdentityOwner, insertIdentity, linkIdentity, unlinkIdentity } from './identity-sql.ts'
import { listUsers } from './list-users-sql.ts'
import { changeTotp, useRecoveryCode, useTotpStep } from './totp-sql.ts'
import { findPresentUsers, readOneUser, writeUser } from './user-row.ts'

export function createSqlUserStore(database: Kysely<Tables>): UserStore {
  const inTransaction = <Result>(work: (transaction: Transaction<Tables>) => Promise<Result>) =>
    database.transaction().execute(work)
  return {
    hasOwner: () => hasActiveOwner(database),
    find: async (id) =>
      readOneUser(database, await findPresentUsers(database).where('id', '=', id).executeTakeFirst()),
    async findByName(name) {
      const query = findPresentUsers(database).where('folded_name', '=', foldUserName(name))
      return readOneUser(database, await query.executeTakeFirst())
    },
    async findByIdentity(identity) {
      const id = await findIdentityOwner(database, identity)
      if (id === undefined) return undefined
      return readOneUser(database, await findPresentUsers(database).where('id', '=', id).executeTakeFirst())
    },
    list: (query) => listUsers(database, query),
    insert: (user, record) =>
      inTransaction(async (transaction) => {
        await insertUser(transaction, user)
        await appendAudit(transaction, record)
      }),
    linkIdentity: (id, identity, record) =>
      inTransaction((transaction) => linkIdentity(transaction, { id, identity, record })),
    unlinkIdentity: (id, change) =>
      inTransaction((transaction) => unlinkIdentity(transaction, { id, ...change })),
    accept: (link, user, record) =>
      inTransaction(async (transaction) => {
        if (!(await deleteLink(transaction, link))) return false
        await insertUser(transaction, user)
        await appendAudit(transaction, record)
        return true
      }),
    acceptReset: (link, id, change) =>
      inTransaction(async (transaction) => {
        if (!(await deleteLink(transaction, link))) return false
        return writePassword(transaction, { id, ...change })
      }),
    change: (id, change, record) =>
      inTransaction((transaction) => changeUser(transaction, { id, change, record })),
    delete: (id, record) => inTransaction((transaction) => deleteUser(transaction, id, record)),
    changePassword: (id, change) =>
      inTransaction((transaction) => writePassword(transaction, { id, ...change })),
    async rehash(id, before, password) {
      const same = database.updateTable('users').set({ password }).where('id', '=', id)
      await same.where('password', '=', before).execute()
    },
    changeMembership: (id, change, record) =>
      inTransaction((transaction) => changeMembership(transaction, { id, change, record })),
    dropGroup: (group) => dropGroup(database, group),
    countMembers: () => countMembers(database),
    changeTotp: (id, totp, change) =>
      inTransaction((transaction) => changeTotp(transaction, { id, totp, ...change })),
    useTotpStep: (id, step) => useTotpStep(database, id, step),
    useRecoveryCode: (id, digest) => useRecoveryCode(database, id, digest),
  }
}

async function hasActiveOwner(database: Kysely<Tables>): Promise<boolean> {
  const owners = findPresentUsers(database).where('role', '=', 'owner').where('disabled', '=', 0)
  return (await owners.limit(1).executeTakeFirst()) !== undefined
}

async function deleteLink(transaction: Transaction<Tables>, id: LinkId): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('links')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

async function insertUser(transaction: Transaction<Tables>, user: User): Promise<void> {
  try {
    await transaction.insertInto('users').values(writeUser(user)).execute()
  } catch (error) {
    throw error instanceof UniqueConstraintError ? refuseRepeat(user) : error
  }
  await writeGroups(transaction, user.id, user.groups)
  if (user.identity !== undefined) await insertIdentity(transaction, user.id, user.identity)
}

function refuseRepeat({ name }: User): GatewayError {
  return refuse('name_taken', {
    param: 'name',
    message: `There is or was a user named "${name}". Choose another name: keys, usage and the audit go by it.`,
    fact: { code: 'user_name_used', values: { name } },
  })
}

async function writeGroups(
  transaction: Transaction<Tables>,
  id: UserId,
  groups: readonly Membership[],
): Promise<void> {
  await transaction.deleteFrom('user_groups').where('user_id', '=', id).execute()
  if (groups.length === 0) return
  const rows = groups.map(({ group, manager }) => ({
    user_id: id,
    group_name: group,
    manager: manager ? 1 : 0,
  }))
  await transaction.insertInto('user_groups').values(rows).execute()
}

interface ChangeOfUser {
  readonly id: UserId
  readonly change: UserChange
  readonly record: AuditRecord
}

async function changeUser(
  transaction: Transaction<Tables>,
  { id, change, record }: ChangeOfUser,
): Promise<boolean> {
  const before = await findPresentUsers(transaction).where('id', '=', id).executeTakeFirst()
  if (before === undefined) return false
  const { role = before.role, groups, disabled = before.disabled !== 0 } = change
  const set = { role, disabled: disabled ? 1 : 0 }
  await transaction.updateTable('users').set(set).where('id', '=', id).execute()
  await guardLastOwner(transaction, before)
  if (groups !== undefined) await writeGroups(transaction, id, groups)
  if (disabled) await endAccess(transaction, id)
  if (role === 'owner' && before.role !== 'owner') await deleteResets(transaction, id)
  await appendAudit(transaction, record)
  return true
}

async function deleteUser(
  transaction: Transaction<Tables>,
  id: UserId,
  record: AuditRecord,
): Promise<boolean> {
  const before = await findPresentUsers(transaction).where('id', '=', id).executeTakeFirst()
  if (before === undefined) return false
  const emptied = { disabled: 1, password: '', totp_secret: null, deleted_at_ms: record.atMs }
  await transaction.updateTable('users').set(emptied).where('id', '=', id).execute()
  await guardLastOwner(transaction, before)
  await transaction.deleteFrom('user_groups').where('user_id', '=', id).execute()
  await transaction.deleteFrom('recovery_codes').where('user_id', '=', id).execute()
  await transaction.deleteFrom('identities').where('user_id', '=', id).execute()
  await endAccess(transaction, id)
  await appendAudit(transaction, record)
  return true
}

/** Throws, and so rolls back the change, where the change leaves no active owner. */
async function guardLastOwner(
  transaction: Transaction<Tables>,
  before: { readonly role: string; readonly disabled: number },
): Promise<void> {
  if (before.role !== 'owner' || before.disabled !== 0) return
  if (!(await hasActiveOwner(transaction))) throw new GatewayError('last_owner')
}

/** Ends all access of a user: sessions, tokens and password reset links. */
async function endAccess(transaction: Transaction<Tables>, id: UserId): Promise<void> {
  await transaction.deleteFrom('sessions').where('user_id', '=', id).execute()
  await transaction.deleteFrom('tokens').where('user_id', '=', id).execute()
  await deleteResets(transaction, id)
}

/**
 * Deletes the links to a new password. An admin may have made one before the user became an owner, and its holder
 * would become that owner.
 */
async function deleteResets(transaction: Transaction<Tables>, id: UserId): Promise<void> {
  await transaction.deleteFrom('links').where('user_id', '=', id).execute()
}

interface WrittenPassword extends PasswordChange {
  readonly id: UserId
  readonly except?: string
}

async function writePassword(
  transaction: Transaction<Tables>,
  { id, password, record, except = '' }: WrittenPassword,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('users')
    .set({ password })
    .where('id', '=', id)
    .where('deleted_at_ms', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  await transaction.deleteFrom('sessions').where('user_id', '=', id).where('id', '!=', except).execute()
  await deleteResets(transaction, id)
  await appendAudit(transaction, record)
  return true
}
