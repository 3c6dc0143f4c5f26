import type { Kysely } from 'kysely'
import type { FailureCount } from '../../access/people/sign-in-throttle.ts'
import type { FailureStore, PeopleStores } from '../../access/people/user-store.ts'
import type { Tables } from '../tables.ts'
import { createSqlAuthorizationStore } from './authorization-store-sql.ts'
import { createSqlLinkStore } from './link-store-sql.ts'
import { createSqlSessionStore } from './session-store-sql.ts'
import { createSqlTokenStore } from './token-store-sql.ts'
import { createSqlUserStore } from './user-store-sql.ts'

export function createSqlPeopleStores(database: Kysely<Tables>): PeopleStores {
  return {
    users: createSqlUserStore(database),
    sessions: createSqlSessionStore(database),
    tokens: createSqlTokenStore(database),
    links: createSqlLinkStore(database),
    failures: createSqlFailureStore(database),
    authorizations: createSqlAuthorizationStore(database),
  }
}

function createSqlFailureStore(database: Kysely<Tables>): FailureStore {
  const run = <Result>(work: (transaction: Kysely<Tables>) => Promise<Result>) =>
    database.transaction().execute(work)
  return {
    async list() {
      const rows = database.selectFrom('sign_in_failures').selectAll().orderBy('last_at_ms')
      return (await rows.execute()).map(readFailure)
    },
    write: (counts) => run((transaction) => writeFailures(transaction, counts)),
    change: (subjects, decide) =>
      run(async (transaction) => {
        const rows = transaction
          .selectFrom('sign_in_failures')
          .selectAll()
          .where('subject', 'in', [...subjects])
        await writeFailures(transaction, decide((await rows.execute()).map(readFailure)))
      }),
  }
}

async function writeFailures(transaction: Kysely<Tables>, counts: readonly FailureCount[]): Promise<void> {
  for (const count of counts)
    if (count.failures === 0)
      await transaction.deleteFrom('sign_in_failures').where('subject', '=', count.subject).execute()
    else
      await transaction
        .insertInto('sign_in_failures')
        .values(writeFailure(count))
        .onConflict((conflict) =>
          conflict.column('subject').doUpdateSet((row) => ({
            failures: row.ref('excluded.failures'),
            last_at_ms: row.ref('excluded.last_at_ms'),
          })),
        )
        .execute()
}

function readFailure(row: { subject: string; failures: number; last_at_ms: number }): FailureCount {
  return { subject: row.subject, failures: row.failures, lastAtMs: row.last_at_ms }
}

function writeFailure({ subject, failures, lastAtMs }: FailureCount) {
  return { subject, failures, last_at_ms: lastAtMs }
}
