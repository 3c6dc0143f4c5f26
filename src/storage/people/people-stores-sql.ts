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
  const select = () => database.selectFrom('sign_in_failures').selectAll()
  return {
    async list() {
      return (await select().orderBy('last_at_ms').execute()).map(readFailure)
    },
    async find(subjects) {
      return (
        await select()
          .where('subject', 'in', [...subjects])
          .execute()
      ).map(readFailure)
    },
    async write(counts) {
      const ended = counts.filter(({ failures }) => failures === 0)
      const live = counts.filter(({ failures }) => failures > 0)
      await database.transaction().execute(async (transaction) => {
        for (const { subject } of ended)
          await transaction.deleteFrom('sign_in_failures').where('subject', '=', subject).execute()
        for (const count of live)
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
      })
    },
  }
}

function readFailure(row: { subject: string; failures: number; last_at_ms: number }): FailureCount {
  return { subject: row.subject, failures: row.failures, lastAtMs: row.last_at_ms }
}

function writeFailure({ subject, failures, lastAtMs }: FailureCount) {
  return { subject, failures, last_at_ms: lastAtMs }
}
