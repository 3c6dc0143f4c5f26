import type { Insertable, Kysely, Selectable } from 'kysely'
import { z } from 'zod'
import type { Link, LinkId, LinkPurpose } from '../../access/people/link.ts'
import type { SecretDigest } from '../../access/people/opaque-secret.ts'
import type { Membership, UserId } from '../../access/people/user.ts'
import type { LinkStore } from '../../access/people/user-store.ts'
import { brand } from '../../kit/brand.ts'
import { parseJson } from '../../kit/json/parse-json.ts'
import { appendAudit } from '../audit-sql.ts'
import { storeUnavailable } from '../sqlite/store-fault.ts'
import type { Tables } from '../tables.ts'
import type { LinkTable } from './people-tables.ts'

const MAX_LISTED_LINKS = 1_000

export function createSqlLinkStore(database: Kysely<Tables>): LinkStore {
  const findAll = () => database.selectFrom('links').selectAll()
  const readOne = (row: Selectable<LinkTable> | undefined) => (row === undefined ? undefined : readLink(row))
  return {
    insert: (link, record) =>
      database.transaction().execute(async (transaction) => {
        await transaction.insertInto('links').values(writeLink(link)).execute()
        if (record !== undefined) await appendAudit(transaction, record)
      }),
    find: async (digest) => readOne(await findAll().where('digest', '=', digest).executeTakeFirst()),
    findById: async (id) => readOne(await findAll().where('id', '=', id).executeTakeFirst()),
    async list() {
      const rows = findAll().orderBy('created_at_ms', 'desc').orderBy('id').limit(MAX_LISTED_LINKS)
      return (await rows.execute()).map(readLink)
    },
    delete: (id, record) =>
      database.transaction().execute(async (transaction) => {
        const deleted = transaction.deleteFrom('links').where('id', '=', id)
        const { numDeletedRows } = await deleted.executeTakeFirstOrThrow()
        if (numDeletedRows > 0n && record !== undefined) await appendAudit(transaction, record)
        return numDeletedRows > 0n
      }),
    async deleteExpired(nowMs) {
      await database.deleteFrom('links').where('expires_at_ms', '<=', nowMs).execute()
    },
  }
}

function writeLink({ purpose, ...link }: Link): Insertable<LinkTable> {
  const isInvitation = purpose.type === 'invitation'
  return {
    id: link.id,
    digest: link.digest,
    type: purpose.type,
    role: isInvitation ? purpose.role : null,
    groups: JSON.stringify(isInvitation ? purpose.groups : []),
    name: purpose.type === 'owner' ? null : (purpose.name ?? null),
    user_id: purpose.type === 'reset' ? purpose.userId : null,
    created_at_ms: link.createdAtMs,
    created_by: link.createdBy,
    expires_at_ms: link.expiresAtMs,
  }
}

function readLink(row: Selectable<LinkTable>): Link {
  return {
    id: brand<LinkId>(row.id),
    digest: brand<SecretDigest>(row.digest),
    purpose: readPurpose(row),
    createdAtMs: row.created_at_ms,
    createdBy: row.created_by,
    expiresAtMs: row.expires_at_ms,
  }
}

function readPurpose(row: Selectable<LinkTable>): LinkPurpose {
  const { id, type, role, name, user_id } = row
  if (type === 'owner') return { type }
  if (type === 'reset' && user_id !== null && name !== null)
    return { type, userId: brand<UserId>(user_id), name }
  if (type === 'invitation' && role !== null)
    return { type, role, groups: readGroups(row), name: name ?? undefined }
  throw storeUnavailable(`the row of link ${id} is damaged`)
}

const groupsSchema = z.array(z.object({ group: z.string(), manager: z.boolean() }))

function readGroups({ id, groups }: Selectable<LinkTable>): readonly Membership[] {
  try {
    return groupsSchema.parse(parseJson(groups))
  } catch (cause) {
    throw storeUnavailable(`the row of link ${id} is damaged`, cause)
  }
}
