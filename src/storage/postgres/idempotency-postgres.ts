import type { Epoch } from '../../metering/leases/epoch.ts'
import type { CallName, Claimed, IdempotencyStore } from '../../stored-answers/idempotency-store.ts'
import type { PostgresDatabase } from './open-postgres.ts'

export interface SharedIdempotencyOptions {
  readonly database: PostgresDatabase
  /** The store of the answers. */
  readonly answers: IdempotencyStore
  /** The epoch of this process. Its claims end with the epoch. */
  readonly epoch: () => Epoch
  /** Whether this process is the one that deletes expired answers. */
  readonly mayPrune: () => boolean
}

/**
 * A store of answers for idempotency keys that several processes share. The claim of a call is a row. Another process
 * may take over the claim once the claimer's epoch has ended.
 */
export function createSharedIdempotencyStore(options: SharedIdempotencyOptions): IdempotencyStore {
  const { database, answers, epoch, mayPrune } = options
  const release = (names: readonly CallName[]) =>
    database.query(
      `delete from idempotent_claims as c using unnest($1::text[], $2::text[]) as t(key_id, id)
       where c.key_id = t.key_id and c.id = t.id and c.epoch = $3`,
      [names.map(({ keyId }) => keyId), names.map(({ id }) => id), epoch()],
    )
  return {
    async claim(name, fingerprint): Promise<Claimed> {
      const { rows } = await database.query(
        `insert into idempotent_claims as c (key_id, id, fingerprint, epoch) values ($1, $2, $3, $4)
         on conflict (key_id, id) do update set epoch = excluded.epoch, fingerprint = excluded.fingerprint
           where c.epoch = excluded.epoch
             or not exists (select 1 from nodes where nodes.epoch = c.epoch and nodes.ended_at_ms is null)
         returning epoch`,
        [name.keyId, name.id, fingerprint, epoch()],
      )
      if (rows.length === 0) return findClaim(database, name, fingerprint)
      // The claim is written before the lookup. After that, no other process can store an answer: it would need the
      // claim.
      const found = await answers.claim(name, fingerprint)
      if (found.type === 'finished') await release([name])
      return found
    },
    async release(name) {
      await release([name])
    },
    async finish(calls) {
      await answers.finish(calls)
      await release(calls.map(({ name }) => name))
    },
    async prune(bounds) {
      if (!mayPrune()) return
      await answers.prune(bounds)
      await database.query(
        `delete from idempotent_claims where not exists (
           select 1 from nodes where nodes.epoch = idempotent_claims.epoch and nodes.ended_at_ms is null)`,
      )
    },
  }
}

async function findClaim(
  database: PostgresDatabase,
  { keyId, id }: CallName,
  fingerprint: string,
): Promise<Claimed> {
  const { rows } = await database.query(
    'select fingerprint from idempotent_claims where key_id = $1 and id = $2',
    [keyId, id],
  )
  const [row] = rows
  return { type: 'elsewhere', fingerprint: row === undefined ? fingerprint : String(row['fingerprint']) }
}
