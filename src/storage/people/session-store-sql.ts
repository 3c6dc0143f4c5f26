import type { Kysely, Selectable, Transaction } from 'kysely'
import type { SecretDigest } from '../../access/people/opaque-secret.ts'
import { SESSION_IDLE_MS, type Session, type SessionId } from '../../access/people/session.ts'
import type { UserId } from '../../access/people/user.ts'
import type { FoundSession, SessionStart, SessionStore } from '../../access/people/user-store.ts'
import { brand } from '../../kit/brand.ts'
import { appendAudit } from '../audit-sql.ts'
import type { Tables } from '../tables.ts'
import type { SessionTable } from './people-tables.ts'
import { readUsersById } from './user-row.ts'

/** The maximum number of sessions of one user. One more session ends the session that was least recently used. */
const MAX_SESSIONS = 100
const MAX_LISTED_SESSIONS = 1_000

export function createSqlSessionStore(database: Kysely<Tables>): SessionStore {
  const findAll = () => database.selectFrom('sessions').selectAll()
  return {
    start: (session, start) =>
      database.transaction().execute((transaction) => startSession(transaction, session, start)),
    find: async (digest) =>
      (await joinUsers(database, await findAll().where('digest', '=', digest).execute()))[0],
    findById: async (id) => (await joinUsers(database, await findAll().where('id', '=', id).execute()))[0],
    async use(id, atMs) {
      await database.updateTable('sessions').set({ last_used_at_ms: atMs }).where('id', '=', id).execute()
    },
    refresh: (id, freshUntilMs, record) =>
      database.transaction().execute(async (transaction) => {
        const set = { fresh_until_ms: freshUntilMs }
        await transaction.updateTable('sessions').set(set).where('id', '=', id).execute()
        await appendAudit(transaction, record)
      }),
    showFactor: (id, record) =>
      database.transaction().execute(async (transaction) => {
        await transaction.updateTable('sessions').set({ second_factor: 1 }).where('id', '=', id).execute()
        if (record !== undefined) await appendAudit(transaction, record)
      }),
    async list(user) {
      const all = findAll().orderBy('created_at_ms', 'desc').orderBy('id').limit(MAX_LISTED_SESSIONS)
      const rows = user === undefined ? all : all.where('user_id', '=', user)
      return joinUsers(database, await rows.execute())
    },
    end: (id, record) =>
      database.transaction().execute(async (transaction) => {
        const ended = transaction.deleteFrom('sessions').where('id', '=', id)
        const { numDeletedRows } = await ended.executeTakeFirstOrThrow()
        if (numDeletedRows > 0n) await appendAudit(transaction, record)
        return numDeletedRows > 0n
      }),
    async deleteEnded(nowMs) {
      await database
        .deleteFrom('sessions')
        .where(({ or, eb }) =>
          or([eb('expires_at_ms', '<=', nowMs), eb('last_used_at_ms', '<=', nowMs - SESSION_IDLE_MS)]),
        )
        .execute()
    },
  }
}

async function startSession(
  transaction: Transaction<Tables>,
  session: Session,
  { password, record }: SessionStart,
): Promise<boolean> {
  const { userId, createdAtMs } = session
  // This statement comes first because it locks the row on an engine with concurrent writers. A concurrent password
  // change either commits first and is seen here, or waits and then ends this session.
  const present = transaction
    .updateTable('users')
    .set({ last_sign_in_at_ms: createdAtMs })
    .where('id', '=', userId)
    .where('disabled', '=', 0)
    .where('deleted_at_ms', 'is', null)
  const linked = transaction.selectFrom('identities').select('user_id').where('user_id', '=', userId)
  const unchanged =
    password === undefined ? present.where('id', 'in', linked) : present.where('password', '=', password)
  const { numUpdatedRows } = await unchanged.executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  await transaction.insertInto('sessions').values(writeSession(session)).execute()
  const newest = transaction
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('last_used_at_ms', 'desc')
    .limit(MAX_SESSIONS)
  await transaction
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', 'not in', newest)
    .execute()
  await appendAudit(transaction, record)
  return true
}

/** Adds the users, and leaves out sessions whose user was deleted. */
async function joinUsers(
  database: Kysely<Tables>,
  rows: readonly Selectable<SessionTable>[],
): Promise<readonly FoundSession[]> {
  const ids = rows.map(({ user_id }) => user_id)
  const users = await readUsersById(database, ids)
  return rows.flatMap((row) => {
    const user = users.get(row.user_id)
    return user === undefined ? [] : [{ session: readSession(row), user }]
  })
}

function writeSession(session: Session): SessionTable {
  return {
    id: session.id,
    digest: session.digest,
    user_id: session.userId,
    created_at_ms: session.createdAtMs,
    last_used_at_ms: session.lastUsedAtMs,
    expires_at_ms: session.expiresAtMs,
    fresh_until_ms: session.freshUntilMs,
    second_factor: session.hasSecondFactor ? 1 : 0,
    address: session.address,
    user_agent: session.userAgent,
  }
}

function readSession(row: Selectable<SessionTable>): Session {
  return {
    id: brand<SessionId>(row.id),
    digest: brand<SecretDigest>(row.digest),
    userId: brand<UserId>(row.user_id),
    createdAtMs: row.created_at_ms,
    lastUsedAtMs: row.last_used_at_ms,
    expiresAtMs: row.expires_at_ms,
    freshUntilMs: row.fresh_until_ms,
    hasSecondFactor: row.second_factor !== 0,
    address: row.address,
    userAgent: row.user_agent,
  }
}
