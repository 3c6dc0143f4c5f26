import { type ExpressionBuilder, type Kysely, type RawBuilder, sql } from 'kysely'
import type { KeyPage, KeyQuery, KeyStatus } from '../access/key-store.ts'
import type { OwnedBy } from '../canonical/owned-by.ts'
import { readKeyRows } from './key-row.ts'
import type { Tables } from './tables.ts'

/** A key that never expires sorts after every key that does. */
const NEVER_MS = Number.MAX_SAFE_INTEGER

const sortValueOf = {
  created: sql<string | number>`keys.created_at_ms`,
  name: sql<string | number>`keys.name`,
  last_used: sql<string | number>`coalesce(key_uses.last_used_at_ms, 0)`,
  expires: sql<string | number>`coalesce(keys.expires_at_ms, ${sql.lit(NEVER_MS)})`,
} as const

/** Reads one row more than the page, to know whether another page follows. */
export async function listKeys(database: Kysely<Tables>, query: KeyQuery): Promise<KeyPage> {
  const { search, user, group, status, includeRevoked, ownedBy, nowMs, sort, after, limit } = query
  const value = sortValueOf[sort]
  const direction = query.descending ? 'desc' : 'asc'
  let found = database
    .selectFrom('keys')
    .leftJoin('key_uses', 'key_uses.key_id', 'keys.id')
    .selectAll('keys')
    .select(value.as('sorted_by'))
    .where(hasStatus(status, nowMs, includeRevoked))
  if (search !== undefined && search !== '')
    found = found.where(sql<boolean>`${foldName(search)} like ${writePattern(search)} escape '\\'`)
  if (user !== undefined) found = found.where('keys.user_name', '=', user)
  if (group !== undefined) found = found.where('keys.group_name', '=', group)
  if (ownedBy !== undefined) found = found.where(isOwnedBy(ownedBy))
  if (after !== undefined) {
    const operator = sql.raw(query.descending ? '<' : '>')
    found = found.where(sql<boolean>`(${value}, keys.id) ${operator} (${after.value}, ${after.id})`)
  }
  const rows = await found
    .orderBy(value, direction)
    .orderBy('keys.id', direction)
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return {
    keys: readKeyRows(page),
    next: hasMore ? { value: last.sorted_by, id: last.id } : undefined,
  }
}

type Keys = ExpressionBuilder<Tables, 'keys'>

function isOwnedBy({ user, groups }: OwnedBy) {
  return (keys: Keys) =>
    keys.or([
      keys('keys.user_name', '=', user),
      ...(groups.length === 0 ? [] : [keys('keys.group_name', 'in', groups)]),
    ])
}

function hasStatus(status: KeyStatus | undefined, nowMs: number, includeRevoked: boolean) {
  return (keys: Keys) => {
    const isLive = keys('keys.revoked_at_ms', 'is', null)
    const isExpired = keys('keys.expires_at_ms', '<=', nowMs)
    switch (status) {
      case undefined:
        return includeRevoked ? keys.lit(true) : isLive
      case 'revoked':
        return keys('keys.revoked_at_ms', 'is not', null)
      case 'disabled':
        return keys.and([isLive, keys('keys.disabled', '=', 1)])
      case 'expired':
        return keys.and([isLive, keys('keys.disabled', '=', 0), isExpired])
      case 'active':
        return keys.and([
          isLive,
          keys('keys.disabled', '=', 0),
          keys.or([keys('keys.expires_at_ms', 'is', null), keys('keys.expires_at_ms', '>', nowMs)]),
        ])
    }
  }
}

/**
 * The name in lower case, as far as the search needs it. The `lower` of both databases changes only the letters of
 * ASCII, so the other letters of the search are replaced one by one.
 */
function foldName(search: string): RawBuilder<string> {
  const replaced = new Map<string, string>()
  for (const letter of search.replaceAll(/[\0-\x7f]/g, '')) {
    const lower = letter.toLowerCase()
    for (const form of [letter, letter.toUpperCase()]) if (form !== lower) replaced.set(form, lower)
  }
  let name = sql<string>`lower(keys.name)`
  for (const [form, lower] of replaced) name = sql<string>`replace(${name}, ${form}, ${lower})`
  return name
}

function writePattern(search: string): string {
  return `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
}
