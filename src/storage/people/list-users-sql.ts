import { type Kysely, sql } from 'kysely'
import { foldUserName } from '../../access/people/user.ts'
import type { UserCursor, UserPage, UserQuery } from '../../access/people/user-store.ts'
import type { Tables } from '../tables.ts'
import { findPresentUsers, readUsers } from './user-row.ts'

const columnOf = {
  name: 'users.folded_name',
  created: 'users.created_at_ms',
  last_sign_in: 'users.last_sign_in_at_ms',
} as const

/** Reads one row more than the page, to know whether another page follows. */
export async function listUsers(database: Kysely<Tables>, query: UserQuery): Promise<UserPage> {
  const { search, role, group, disabled, sort, descending, after, limit } = query
  const column = columnOf[sort]
  const direction = descending ? 'desc' : 'asc'
  let found = findPresentUsers(database)
  if (search !== undefined && search !== '')
    found = found.where(sql<boolean>`users.folded_name like ${writePattern(search)} escape '\\'`)
  if (role !== undefined) found = found.where('users.role', '=', role)
  if (disabled !== undefined) found = found.where('users.disabled', '=', disabled ? 1 : 0)
  if (group !== undefined)
    found = found.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('user_groups')
          .select('user_groups.user_id')
          .whereRef('user_groups.user_id', '=', 'users.id')
          .where('user_groups.group_name', '=', group),
      ),
    )
  if (after !== undefined) {
    const operator = descending ? '<' : '>'
    found = found.where(({ eb, refTuple, tuple }) =>
      eb(refTuple(column, 'users.id'), operator, tuple(after.value, after.id)),
    )
  }
  const rows = await found
    .orderBy(column, direction)
    .orderBy('users.id', direction)
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    users: await readUsers(database, page),
    next: rows.length <= limit || last === undefined ? undefined : cursorOf(query, last),
  }
}

type Row = { id: string; folded_name: string; created_at_ms: number; last_sign_in_at_ms: number }

function cursorOf({ sort }: UserQuery, row: Row): UserCursor {
  const value = { name: row.folded_name, created: row.created_at_ms, last_sign_in: row.last_sign_in_at_ms }
  return { value: value[sort], id: row.id }
}

function writePattern(search: string): string {
  return `%${foldUserName(search).replaceAll(/[\\%_]/g, '\\$&')}%`
}
