import type { Kysely, Selectable } from 'kysely'
import type { PasswordHash } from '../../access/people/password.ts'
import {
  foldUserName,
  type LinkedIdentity,
  type Membership,
  type User,
  type UserId,
  type UserTotp,
} from '../../access/people/user.ts'
import { brand } from '../../kit/brand.ts'
import type { Tables } from '../tables.ts'
import { readIdentities } from './identity-sql.ts'
import type { UserTable } from './people-tables.ts'

/** The parts of a user that are in other tables. */
interface UserParts {
  readonly groups: readonly Membership[]
  readonly identity: LinkedIdentity | undefined
}

export function writeUser(user: User): UserTable {
  return {
    id: user.id,
    name: user.name,
    folded_name: foldUserName(user.name),
    role: user.role,
    disabled: user.disabled ? 1 : 0,
    password: user.password ?? '',
    ...writeTotp(user.totp),
    created_at_ms: user.createdAtMs,
    created_by: user.createdBy,
    last_sign_in_at_ms: user.lastSignInAtMs ?? 0,
    deleted_at_ms: null,
  }
}

function readUser(row: Selectable<UserTable>, { groups, identity }: UserParts): User {
  return {
    id: brand<UserId>(row.id),
    name: row.name,
    role: row.role,
    groups,
    disabled: row.disabled !== 0,
    password: row.password === '' ? undefined : brand<PasswordHash>(row.password),
    identity,
    totp: readTotp(row),
    createdAtMs: row.created_at_ms,
    createdBy: row.created_by,
    lastSignInAtMs: row.last_sign_in_at_ms === 0 ? undefined : row.last_sign_in_at_ms,
  }
}

export function writeTotp(
  totp: UserTotp | undefined,
): Pick<UserTable, 'totp_secret' | 'totp_confirmed' | 'totp_step'> {
  const isConfirmed = totp?.type === 'confirmed'
  return {
    totp_secret: totp?.sealedSecret ?? null,
    totp_confirmed: isConfirmed ? 1 : 0,
    totp_step: isConfirmed ? totp.lastStep : 0,
  }
}

function readTotp({
  totp_secret: sealedSecret,
  totp_confirmed,
  totp_step: lastStep,
}: Selectable<UserTable>): UserTotp | undefined {
  if (sealedSecret === null) return undefined
  return totp_confirmed === 0
    ? { type: 'pending', sealedSecret }
    : { type: 'confirmed', sealedSecret, lastStep }
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
  const identities = await readIdentities(database, [...groups.keys()])
  return rows.map((row) =>
    readUser(row, { groups: groups.get(row.id) ?? [], identity: identities.get(row.id) }),
  )
}

/** Reads the users with these IDs that are not deleted. IDs may repeat. */
export async function readUsersById(
  database: Kysely<Tables>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, User>> {
  if (ids.length === 0) return new Map()
  const rows = await findPresentUsers(database)
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map((await readUsers(database, rows)).map((user) => [user.id, user]))
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
