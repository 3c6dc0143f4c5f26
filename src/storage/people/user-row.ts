import type { Kysely, Selectable } from 'kysely'
import type { PasswordHash } from '../../access/people/password.ts'
import { foldUserName, type Membership, type User, type UserId } from '../../access/people/user.ts'
import { brand } from '../../kit/brand.ts'
import type { Tables } from '../tables.ts'
import type { UserTable } from './people-tables.ts'

export function writeUser(user: User): UserTable {
  return {
    id: user.id,
    name: user.name,
    folded_name: foldUserName(user.name),
    role: user.role,
    disabled: user.disabled ? 1 : 0,
    password: user.password,
    totp_secret: user.totp?.sealedSecret ?? null,
    totp_confirmed: user.totp?.isConfirmed === true ? 1 : 0,
    totp_step: user.totp?.lastStep ?? 0,
    created_at_ms: user.createdAtMs,
    created_by: user.createdBy,
    last_sign_in_at_ms: user.lastSignInAtMs ?? 0,
    deleted_at_ms: null,
  }
}

export function readUser(row: Selectable<UserTable>, groups: readonly Membership[]): User {
  const { totp_secret: sealedSecret, totp_confirmed, totp_step } = row
  return {
    id: brand<UserId>(row.id),
    name: row.name,
    role: row.role,
    groups,
    disabled: row.disabled !== 0,
    password: brand<PasswordHash>(row.password),
    totp:
      sealedSecret === null
        ? undefined
        : { sealedSecret, isConfirmed: totp_confirmed !== 0, lastStep: totp_step },
    createdAtMs: row.created_at_ms,
    createdBy: row.created_by,
    lastSignInAtMs: row.last_sign_in_at_ms === 0 ? undefined : row.last_sign_in_at_ms,
  }
}

/** Reads users with their groups, in the order of the rows. */
export async function readUsers(
  database: Kysely<Tables>,
  rows: readonly Selectable<UserTable>[],
): Promise<readonly User[]> {
  const groups = new Map<string, Membership[]>(rows.map(({ id }) => [id, []]))
  if (rows.length === 0) return []
  const memberships = await database
    .selectFrom('user_groups')
    .selectAll()
    .where('user_id', 'in', [...groups.keys()])
    .orderBy('group_name')
    .execute()
  for (const { user_id, group_name, manager } of memberships)
    groups.get(user_id)?.push({ group: group_name, manager: manager !== 0 })
  return rows.map((row) => readUser(row, groups.get(row.id) ?? []))
}

export function findPresentUsers(database: Kysely<Tables>) {
  return database.selectFrom('users').selectAll('users').where('users.deleted_at_ms', 'is', null)
}

export async function readOneUser(
  database: Kysely<Tables>,
  row: Selectable<UserTable> | undefined,
): Promise<User | undefined> {
  return row === undefined ? undefined : (await readUsers(database, [row]))[0]
}
