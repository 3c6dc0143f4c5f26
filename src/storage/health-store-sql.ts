import type { Kysely } from 'kysely'
import { z } from 'zod'
import { parseJson } from '../kit/json/parse-json.ts'
import { healthScopes, tripReasons } from '../routing/health/assess-health-impact.ts'
import type { HealthSnapshot, HealthStore } from '../routing/health/health-store.ts'
import { storeUnavailable } from './sqlite/store-fault.ts'
import type { Tables } from './tables.ts'

const ONLY_ROW_ID = 1

/** A health snapshot as it is stored or sent. */
export const healthSnapshotSchema = z.object({
  version: z.literal(2),
  savedAtMs: z.number(),
  breakers: z.array(
    z.object({
      channel: z.string(),
      baseUrl: z.string(),
      scope: z.enum(healthScopes),
      credentialId: z.string(),
      fingerprint: z.string(),
      upstreamModel: z.string(),
      reason: z.enum(tripReasons),
      needsProbe: z.boolean(),
      isDegraded: z.boolean(),
      trips: z.number(),
      untilAtMs: z.number(),
    }),
  ),
})

/** Stores only the newest snapshot, in one row. */
export function createSqlHealthStore(database: Kysely<Tables>): HealthStore {
  return {
    async load() {
      const row = await database.selectFrom('health').select('snapshot').executeTakeFirst()
      return row === undefined ? undefined : readSnapshot(row.snapshot)
    },
    async save(snapshot) {
      const row = { saved_at_ms: snapshot.savedAtMs, snapshot: JSON.stringify(snapshot) }
      await database
        .insertInto('health')
        .values({ id: ONLY_ROW_ID, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
    },
  }
}

function readSnapshot(text: string): HealthSnapshot {
  try {
    return healthSnapshotSchema.parse(parseJson(text))
  } catch (cause) {
    throw storeUnavailable('the stored health of channels is damaged', cause)
  }
}
