import { join } from 'node:path'
import { Kysely } from 'kysely'
import { expect, it } from 'vitest'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import type { KeyId } from '../access/key.ts'
import { brand } from '../kit/brand.ts'
import { createByteSealer } from '../kit/bytes/seal.ts'
import type { LedgerRowId } from '../kit/random/ids.ts'
import { systemRandom } from '../kit/random/random.ts'
import type { StoredResponse } from '../stored-answers/stored-response.ts'
import { applyMigrations } from './sqlite/apply-migrations.ts'
import { migrations } from './sqlite/migrations.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { createSqliteDialect } from './sqlite/sqlite-dialect.ts'
import { createSqlStoredResponses } from './stored-response-sql.ts'
import type { Tables } from './tables.ts'

const keyId = brand<KeyId>('key_1')
const gone = brand<KeyId>('key_2')
const owner = {
  channelName: 'c',
  credentialId: undefined,
  publicName: 'm',
  upstreamModel: 'm',
  providerId: 'resp_theirs',
}

function responseOf(id: string, more: Partial<StoredResponse> = {}): StoredResponse {
  return {
    keyId,
    id,
    previousId: undefined,
    links: 0,
    askedName: 'm',
    createdAtMs: 0,
    expiresAtMs: 1_000,
    owner: undefined,
    itemIds: [`msg_${id}`],
    content: { type: 'present', input: '{"groups":[]}', response: '{"status":"completed"}' },
    ...more,
  }
}

async function open() {
  const database = await openSqlite(join(makeTemporaryFolder(), 'headgate.db'))
  await applyMigrations(database)
  const queries = new Kysely<Tables>({ dialect: createSqliteDialect(database) })
  for (const [id, revokedAtMs] of [
    [keyId, null],
    [gone, 5],
  ] as const) {
    const row = { digest: id, hint: '', models: null, group_name: null, allow_ips: '[]' }
    await queries
      .insertInto('keys')
      .values({
        ...row,
        id,
        name: id,
        expires_at_ms: null,
        disabled: 0,
        revoked_at_ms: revokedAtMs,
        created_at_ms: 0,
        origin: 'made',
        dry_run: 0,
        budgets: '[]',
        tags: '{}',
        caller_tags: 0,
        passthrough: '[]',
      })
      .execute()
  }
  const store = createSqlStoredResponses(queries, createByteSealer(systemRandom.bytes(32), systemRandom))
  const ids = async () => {
    const rows = await queries.selectFrom('stored_responses').select('id').orderBy('id').execute()
    return rows.map(({ id }) => id)
  }
  return { store, ids, queries, [Symbol.asyncDispose]: () => database.close() }
}

const put = (response: StoredResponse) => ({ type: 'put' as const, response })
const bounds = { nowMs: 500, maxBytes: 1_000_000, keepsWords: true }

it('returns a saved response to its key alone, and finds it by its items', async () => {
  await using opened = await open()
  const { store } = opened
  await store.save([put(responseOf('resp_1', { owner, previousId: 'resp_0', links: 3 }))])
  expect(await store.find(keyId, 'resp_1')).toEqual({
    ...responseOf('resp_1', { owner, previousId: 'resp_0', links: 3 }),
    itemIds: [],
  })
  expect(await store.find(gone, 'resp_1')).toBeUndefined()
  expect(await store.findItems(keyId, ['msg_resp_1', 'msg_2'])).toEqual(new Map([['msg_resp_1', 'resp_1']]))
  expect(await store.findItems(gone, ['msg_resp_1'])).toEqual(new Map())
})

it('returns the data for a correction of its cost, or the response without unreadable data', async () => {
  await using opened = await open()
  const { store, queries } = opened
  const budgets = [{ counter: 'key/a/day', counts: 'charged', isExact: true }] as const
  const charge = { rowId: brand<LedgerRowId>('row_1'), requestId: 'req_1', multiplierPpm: 1_100_000, budgets }
  await store.save([put(responseOf('resp_1', { charge }))])
  expect((await store.find(keyId, 'resp_1'))?.charge).toEqual(charge)
  await queries.updateTable('stored_responses').set({ charge: '{"rowId":1}' }).execute()
  const found = await store.find(keyId, 'resp_1')
  expect([found?.id, found?.charge]).toEqual(['resp_1', undefined])
})

it('drops expired responses, those of revoked keys, and their items', async () => {
  await using opened = await open()
  const { store } = opened
  await store.save([
    put(responseOf('resp_1')),
    put(responseOf('resp_2', { expiresAtMs: 400 })),
    put(responseOf('resp_3', { expiresAtMs: 400 })),
    put(responseOf('resp_4', { keyId: gone })),
    { type: 'extend', keyId, id: 'resp_3', expiresAtMs: 900 },
  ])
  await store.prune(bounds)
  expect(await opened.ids()).toEqual(['resp_1', 'resp_3'])
  expect([...(await store.findItems(keyId, ['msg_resp_1', 'msg_resp_2'])).keys()]).toEqual(['msg_resp_1'])
})

it('drops the soonest to expire when too many responses are stored', async () => {
  await using opened = await open()
  const { store } = opened
  const rows = [3, 1, 2].map((n) => put(responseOf(`resp_${n}`, { expiresAtMs: 1_000 + n })))
  await store.save(rows)
  await store.prune({ ...bounds, maxBytes: 1_600 })
  expect(await opened.ids()).toEqual(['resp_2', 'resp_3'])
})

it('drops the content when the operator stores none any more, and still knows the responses stored by providers', async () => {
  await using opened = await open()
  const { store } = opened
  await store.save([put(responseOf('resp_1')), put(responseOf('resp_2', { owner }))])
  await store.prune({ ...bounds, keepsWords: false })
  expect(await opened.ids()).toEqual(['resp_2'])
  expect((await store.find(keyId, 'resp_2'))?.content).toEqual({ type: 'absent', reason: 'off' })
})

it('knows after an upgrade which older responses providers store', async () => {
  const database = await openSqlite(join(makeTemporaryFolder(), 'headgate.db'))
  const before = migrations.findIndex(({ name }) => name === 'stored_responses')
  await applyMigrations(database, migrations.slice(0, before))
  const sql = `insert into kept_answers values ('key_1', 'resp_old', 'm', 'm', 'c', 'm', null, 7)`
  await database.run([{ sql, parameters: [] }], 'single')
  await applyMigrations(database)
  const queries = new Kysely<Tables>({ dialect: createSqliteDialect(database) })
  const store = createSqlStoredResponses(queries, createByteSealer(systemRandom.bytes(32), systemRandom))
  expect(await store.find(keyId, 'resp_old')).toMatchObject({
    owner: { ...owner, providerId: 'resp_old' },
    content: { type: 'absent', reason: 'off' },
  })
  await database.close()
})
