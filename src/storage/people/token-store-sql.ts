import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import { z } from 'zod'
import type { SecretDigest } from '../../access/people/opaque-secret.ts'
import { isScope, type Scope } from '../../access/people/scope.ts'
import type { Token, TokenId, TokenOwner } from '../../access/people/token.ts'
import type { UserId } from '../../access/people/user.ts'
import type { FoundToken, TokenStore } from '../../access/people/user-store.ts'
import type { AuditRecord } from '../../canonical/audit.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { brand } from '../../kit/brand.ts'
import { parseJson } from '../../kit/json/parse-json.ts'
import { appendAudit } from '../audit-sql.ts'
import { storeUnavailable } from '../sqlite/store-fault.ts'
import type { Tables } from '../tables.ts'
import type { TokenTable } from './people-tables.ts'
import { readUsersById } from './user-row.ts'

/** The maximum number of tokens of one user, or of all services together. */
const MAX_TOKENS = 100
const MAX_LISTED_TOKENS = 1_000

export function createSqlTokenStore(database: Kysely<Tables>): TokenStore {
  const findAll = () => database.selectFrom('tokens').selectAll()
  return {
    insert: (token, record) =>
      database.transaction().execute((transaction) => insertToken(transaction, token, record)),
    find: async (digest) =>
      (await joinOwners(database, await findAll().where('digest', '=', digest).execute()))[0],
    findById: async (id) => (await joinOwners(database, await findAll().where('id', '=', id).execute()))[0],
    async use(id, atMs) {
      await database.updateTable('tokens').set({ last_used_at_ms: atMs }).where('id', '=', id).execute()
    },
    async list(user) {
      const all = findAll().orderBy('created_at_ms', 'desc').orderBy('id').limit(MAX_LISTED_TOKENS)
      const rows = user === undefined ? all : all.where('user_id', '=', user)
      return joinOwners(database, await rows.execute())
    },
    delete: (id, record) =>
      database.transaction().execute(async (transaction) => {
        const deleted = transaction.deleteFrom('tokens').where('id', '=', id)
        const { numDeletedRows } = await deleted.executeTakeFirstOrThrow()
        if (numDeletedRows > 0n) await appendAudit(transaction, record)
        return numDeletedRows > 0n
      }),
  }
}

async function insertToken(
  transaction: Transaction<Tables>,
  token: Token,
  record: AuditRecord,
): Promise<void> {
  const { owner } = token
  const count = transaction.selectFrom('tokens').select(({ fn }) => fn.countAll<number>().as('count'))
  const ofOwner =
    owner.type === 'user' ? count.where('user_id', '=', owner.userId) : count.where('user_id', 'is', null)
  if (Number((await ofOwner.executeTakeFirstOrThrow()).count) >= MAX_TOKENS)
    throw new GatewayError('too_many_tokens')
  await transaction.insertInto('tokens').values(writeToken(token)).execute()
  await appendAudit(transaction, record)
}

/** Adds the owners, and leaves out tokens whose user was deleted. */
async function joinOwners(
  database: Kysely<Tables>,
  rows: readonly Selectable<TokenTable>[],
): Promise<readonly FoundToken[]> {
  const ids = rows.flatMap(({ user_id }) => user_id ?? [])
  const users = await readUsersById(database, ids)
  return rows.flatMap((row): readonly FoundToken[] => {
    const token = readToken(row)
    if (token.owner.type === 'service') return [{ token, owner: token.owner }]
    const user = users.get(token.owner.userId)
    return user === undefined ? [] : [{ token, owner: { type: 'user', user } }]
  })
}

function writeToken(token: Token): Insertable<TokenTable> {
  const { owner } = token
  return {
    id: token.id,
    digest: token.digest,
    hint: token.hint,
    name: token.name,
    user_id: owner.type === 'user' ? owner.userId : null,
    role: owner.type === 'service' ? owner.role : null,
    scopes: JSON.stringify(token.scopes),
    created_at_ms: token.createdAtMs,
    created_by: token.createdBy,
    expires_at_ms: token.expiresAtMs ?? null,
    last_used_at_ms: token.lastUsedAtMs ?? null,
  }
}

const scopesSchema = z.array(z.string())

function readToken(row: Selectable<TokenTable>): Token {
  return {
    id: brand<TokenId>(row.id),
    digest: brand<SecretDigest>(row.digest),
    hint: row.hint,
    name: row.name,
    owner: readOwner(row),
    scopes: readScopes(row),
    createdAtMs: row.created_at_ms,
    createdBy: row.created_by,
    expiresAtMs: row.expires_at_ms ?? undefined,
    lastUsedAtMs: row.last_used_at_ms ?? undefined,
  }
}

function readOwner({ id, user_id, role }: Selectable<TokenTable>): TokenOwner {
  if (user_id !== null) return { type: 'user', userId: brand<UserId>(user_id) }
  if (role !== null) return { type: 'service', role }
  throw storeUnavailable(`the row of token ${id} is damaged`)
}

function readScopes({ id, scopes }: Selectable<TokenTable>): readonly Scope[] {
  try {
    // A scope that only another version knows grants nothing here.
    return scopesSchema.parse(parseJson(scopes)).filter(isScope)
  } catch (cause) {
    throw storeUnavailable(`the row of token ${id} is damaged`, cause)
  }
}
