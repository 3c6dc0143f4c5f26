// A program for the tests that kill it: inserts keys without end and prints the id of each once it is durable.
import { createSecretKey } from 'node:crypto'
import { Kysely } from 'kysely'
import { makeKey } from '../../src/access/make-key.ts'
import { makeSecret } from '../../src/access/make-secret.ts'
import { systemRandom } from '../../src/kit/random/random.ts'
import { systemClock } from '../../src/kit/time/clock.ts'
import { createSqlKeyStore } from '../../src/storage/key-store-sql.ts'
import { applyMigrations } from '../../src/storage/sqlite/apply-migrations.ts'
import { openSqlite } from '../../src/storage/sqlite/open-sqlite.ts'
import { createSqliteDialect } from '../../src/storage/sqlite/sqlite-dialect.ts'
import { openTerms } from './key-terms.ts'

const sqlite = await openSqlite(process.argv[2] ?? '')
await applyMigrations(sqlite)
const store = createSqlKeyStore(new Kysely({ dialect: createSqliteDialect(sqlite) }))
const maker = { pepper: createSecretKey(Buffer.alloc(32)), clock: systemClock, random: systemRandom }

for (;;) {
  const secret = makeSecret(systemRandom)
  const key = makeKey({ terms: { ...openTerms, name: secret }, secret, hint: '', origin: 'made' }, maker)
  await store.insert(key, {
    author: 'test',
    credential: '',
    address: '',
    action: 'key.create',
    subject: key.id,
    details: [],
    atMs: key.createdAtMs,
  })
  process.stdout.write(`${key.id}\n`)
}
