import type { Kysely, Selectable } from 'kysely'
import type { AuthorizationPurpose, SignOnRequest } from '../../access/people/authorization-request.ts'
import type { LinkId } from '../../access/people/link.ts'
import type { SecretDigest } from '../../access/people/opaque-secret.ts'
import type { SessionId } from '../../access/people/session.ts'
import type { UserId } from '../../access/people/user.ts'
import type { AuthorizationStore } from '../../access/people/user-store.ts'
import { brand } from '../../kit/brand.ts'
import { storeUnavailable } from '../sqlite/store-fault.ts'
import type { Tables } from '../tables.ts'
import type { AuthorizationTable } from './people-tables.ts'

const MAX_AUTHORIZATIONS = 10_000

export function createSqlAuthorizationStore(database: Kysely<Tables>): AuthorizationStore {
  return {
    insert: (request) =>
      database.transaction().execute(async (transaction) => {
        await transaction.insertInto('authorizations').values(writeRequest(request)).execute()
        const beyond = transaction
          .selectFrom('authorizations')
          .select('state_digest')
          .orderBy('created_at_ms', 'desc')
          .limit(MAX_AUTHORIZATIONS)
          .offset(MAX_AUTHORIZATIONS)
        await transaction.deleteFrom('authorizations').where('state_digest', 'in', beyond).execute()
      }),
    async consume(state, browser) {
      const row = await database
        .deleteFrom('authorizations')
        .where('state_digest', '=', state)
        .where('browser_digest', '=', browser)
        .returningAll()
        .executeTakeFirst()
      return row === undefined ? undefined : readRequest(row)
    },
    async deleteExpired(nowMs) {
      await database.deleteFrom('authorizations').where('expires_at_ms', '<=', nowMs).execute()
    },
  }
}

function writeRequest({ purpose, ...request }: SignOnRequest): AuthorizationTable {
  const ofSession = purpose.type === 'join' || purpose.type === 'reauthenticate' ? purpose : undefined
  return {
    state_digest: request.stateDigest,
    browser_digest: request.browserDigest,
    purpose: purpose.type,
    link_id: purpose.type === 'accept' ? purpose.linkId : null,
    session_id: ofSession?.sessionId ?? null,
    user_id: ofSession?.userId ?? null,
    redirect_uri: request.redirectUri,
    return_to: request.returnTo,
    created_at_ms: request.createdAtMs,
    expires_at_ms: request.expiresAtMs,
  }
}

function readRequest(row: Selectable<AuthorizationTable>): SignOnRequest {
  return {
    stateDigest: brand<SecretDigest>(row.state_digest),
    browserDigest: brand<SecretDigest>(row.browser_digest),
    purpose: readPurpose(row),
    redirectUri: row.redirect_uri,
    returnTo: row.return_to,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
  }
}

function readPurpose(row: Selectable<AuthorizationTable>): AuthorizationPurpose {
  const { purpose: type, link_id, session_id, user_id } = row
  if (type === 'sign-in') return { type }
  if (type === 'accept' && link_id !== null) return { type, linkId: brand<LinkId>(link_id) }
  if (type !== 'accept' && session_id !== null && user_id !== null)
    return { type, sessionId: brand<SessionId>(session_id), userId: brand<UserId>(user_id) }
  throw storeUnavailable('a row of authorizations is damaged')
}
