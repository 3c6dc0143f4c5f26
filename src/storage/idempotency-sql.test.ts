import { join } from 'node:path'
import { Kysely } from 'kysely'
import { expect, it } from 'vitest'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import type { KeyId } from '../access/key.ts'
import { brand } from '../kit/brand.ts'
import { createByteSealer } from '../kit/bytes/seal.ts'
import { systemRandom } from '../kit/random/random.ts'
import type { FinishedCall } from '../stored-answers/idempotency-store.ts'
import { createSqlIdempotencyStore } from './idempotency-sql.ts'
import { applyMigrations } from './sqlite/apply-migrations.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { createSqliteDialect } from './sqlite/sqlite-dialect.ts'
import type { Tables } from './tables.ts'

const live = brand<KeyId>('key_1')
const revoked = brand<KeyId>('key_2')

function callOf(id: string, more: Partial<FinishedCall> = {}, keyId = live): FinishedCall {
  return {
    name: { keyId, id },
    answer: {
      fingerprint: 'print',
      kind: 'stream',
      status: 200,
      headers: { 'x-headgate-model': 'm' },
      body: Buffer.from('data: secret words\n\n'),
    },
    expiresAtMs: 1_000,
    ...more,
  }
}

async function open() {
  const database = await openSqlite(join(makeTemporaryFolder(), 'headgate.db'))
  await applyMigrations(database)
  const queries = new Kysely<Tables>({ dialect: createSqliteDialect(database) })
  for (const [id, revokedAtMs] of [
    [live, null],
    [revoked, 5],
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
  const store = createSqlIdempotencyStore(queries, createByteSealer(systemRandom.bytes(32), systemRandom))
  const ids = async () => {
    const rows = await queries.selectFrom('idempotent_answers').select('id').orderBy('id').execute()
    return rows.map(({ id }) => id)
  }
  return { store, ids, queries, [Symbol.asyncDispose]: () => database.close() }
}

it('returns a finished answer to its key alone', async () => {
  await using opened = await open()
  const { store } = opened
  const call = callOf('one')
  await store.finish([call])
  expect(await store.claim(call.name, 'print')).toEqual({ type: 'finished', call })
  expect(await store.claim({ keyId: revoked, id: 'one' }, 'print')).toEqual({ type: 'claimed' })
})

it('stores no text, header or fingerprint in readable form', async () => {
  await using opened = await open()
  await opened.store.finish([callOf('one')])
  const row = await opened.queries.selectFrom('idempotent_answers').selectAll().executeTakeFirstOrThrow()
  const text = `${Buffer.from(row.content).toString('latin1')}${JSON.stringify({ ...row, content: '' })}`
  for (const word of ['secret', 'print', 'headgate']) expect(text).not.toContain(word)
})

it('drops expired answers and those of revoked keys', async () => {
  await using opened = await open()
  const { store, ids } = opened
  await store.finish([callOf('old', { expiresAtMs: 500 }), callOf('new'), callOf('theirs', {}, revoked)])
  await store.prune({ nowMs: 500, maxBytes: 1_000_000 })
  expect(await ids()).toEqual(['new'])
})

it('drops answers over the bound, the soonest to expire first, and all of them when the bound is 0', async () => {
  await using opened = await open()
  const { store, ids } = opened
  await store.finish([callOf('b', { expiresAtMs: 2_000 }), callOf('a', { expiresAtMs: 3_000 }), callOf('c')])
  await store.prune({ nowMs: 500, maxBytes: 1_600 })
  expect(await ids()).toEqual(['a', 'b'])
  await store.prune({ nowMs: 500, maxBytes: 0 })
  expect(await ids()).toEqual([])
})
