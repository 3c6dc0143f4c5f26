import { z } from 'zod'
import { OperatorError } from '../../canonical/operator-error.ts'
import { brand } from '../../kit/brand.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { DAY_MS } from '../../kit/time/time-units.ts'
import type { Epoch } from '../../metering/leases/epoch.ts'
import { EpochEndedError } from '../../metering/leases/epoch-ended-error.ts'
import {
  EPOCH_MARGIN_MS,
  EPOCH_VALID_MS,
  type LiveNode,
  type NodeDetails,
  type NodeRegistry,
  ORPHANS_AFTER_MS,
  type SecretMarks,
} from '../../metering/leases/node-registry.ts'
import { DATABASE_NOW, endEpoch, findSilent, foldEnded } from './ledger/epochs.ts'
import type { PostgresDatabase, PostgresQueries } from './open-postgres.ts'

export interface NodeTimes {
  readonly validMs: number
  readonly marginMs: number
  readonly orphansAfterMs: number
}

const usualTimes: NodeTimes = {
  validMs: EPOCH_VALID_MS,
  marginMs: EPOCH_MARGIN_MS,
  orphansAfterMs: ORPHANS_AFTER_MS,
}
/** Rows of nodes that ended longer ago than this are deleted. */
const REMEMBER_ENDED_MS = DAY_MS
const COUNT_LIVE = '(select count(*) from nodes as n where n.ended_at_ms is null)'
/** The number of the lock that makes nodes join one after the other: "head" in ASCII, and 3. */
const JOIN_LOCK = 0x68656164_03

/** The nodes that share the database, as rows of a table. */
export function createPostgresNodes(database: PostgresDatabase, times: NodeTimes = usualTimes): NodeRegistry {
  return {
    join: (details, secrets) =>
      database.transaction(async (queries) => {
        await queries.query(`select pg_advisory_xact_lock(${JOIN_LOCK})`)
        await requireSameSecrets(queries, secrets)
        const { rows } = await queries.query(
          `insert into nodes (id, details, started_at_ms, seen_at_ms, valid_until_ms)
           select $1, $2, now, now, now + $3 from (select ${DATABASE_NOW} as now) as clock
           returning epoch, started_at_ms, ${COUNT_LIVE} + 1 as count`,
          [details.id, JSON.stringify({ ...details, secrets }), times.validMs],
        )
        const [row] = rows
        const nowMs = Number(row?.['started_at_ms'])
        return { epoch: brand<Epoch>(Number(row?.['epoch'])), nowMs, count: Number(row?.['count']) }
      }),
    async renew(epoch, details) {
      const { rows } = await database.query(
        `update nodes set seen_at_ms = now, valid_until_ms = now + $3,
           details = jsonb_set($2::jsonb, '{secrets}', details::jsonb -> 'secrets')::text
         from (select ${DATABASE_NOW} as now) as clock
         where epoch = $1 and ended_at_ms is null returning seen_at_ms, ${COUNT_LIVE} as count`,
        [epoch, JSON.stringify(details), times.validMs],
      )
      const [row] = rows
      if (row === undefined) throw new EpochEndedError()
      await database.transaction((queries) => endOthers(queries, times))
      return { nowMs: Number(row['seen_at_ms']), count: Number(row['count']) }
    },
    leave: (epoch) => database.transaction((queries) => endEpoch(queries, epoch, { orphansAfterMs: 0 })),
    list: () => listNodes(database),
  }
}

async function endOthers(queries: PostgresQueries, times: NodeTimes): Promise<void> {
  for (const epoch of await findSilent(queries, times.marginMs)) await endEpoch(queries, epoch, times)
  await foldEnded(queries)
  await queries.query(
    `delete from nodes where ended_at_ms < ${DATABASE_NOW} - $1
       and not exists (select 1 from budget_leases where budget_leases.epoch = nodes.epoch)
       and not exists (select 1 from ledger_intents where ledger_intents.epoch = nodes.epoch)`,
    [REMEMBER_ENDED_MS],
  )
}

async function listNodes(queries: PostgresQueries): Promise<readonly LiveNode[]> {
  const { rows } = await queries.query(
    'select epoch, details, started_at_ms, seen_at_ms from nodes where ended_at_ms is null order by started_at_ms',
  )
  return rows.flatMap((row) => {
    const details = readDetails(row['details'])
    if (details === undefined) return []
    const { secrets: _secrets, ...shown } = details
    const seenAtMs = Number(row['seen_at_ms'])
    return {
      ...shown,
      epoch: brand<Epoch>(Number(row['epoch'])),
      startedAtMs: Number(row['started_at_ms']),
      seenAtMs,
    }
  })
}

/** Refuses a node whose secrets differ from those of a live node: it would reject data that the live node has made. */
async function requireSameSecrets(queries: PostgresQueries, secrets: SecretMarks): Promise<void> {
  const { rows } = await queries.query(
    `select details from nodes where ended_at_ms is null and valid_until_ms > ${DATABASE_NOW}`,
  )
  for (const row of rows) {
    const others = readDetails(row['details'])
    if (others === undefined) continue
    const different = Object.keys(secrets).find(
      (name) => others.secrets[name] !== undefined && others.secrets[name] !== secrets[name],
    )
    if (different !== undefined)
      throw new OperatorError('secret_mismatch', `${different} is not the one that the node ${others.id} has`)
  }
}

const detailsSchema = z.object({
  id: z.string(),
  version: z.string(),
  fileFingerprint: z.string(),
  leases: z.number(),
  streams: z.number(),
  draining: z.boolean(),
  // Nodes of the first version do not send these fields.
  ready: z.boolean().default(true),
  configVersion: z.number().optional(),
  clockAheadMs: z.number(),
  secrets: z.record(z.string(), z.string()),
})

/** Undefined where another version wrote a different format. */
function readDetails(text: unknown): (NodeDetails & { readonly secrets: SecretMarks }) | undefined {
  return detailsSchema.safeParse(tryParseJson(String(text))).data
}
