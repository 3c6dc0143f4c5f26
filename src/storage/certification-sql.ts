import type { Insertable, Kysely, Selectable } from 'kysely'
import { z } from 'zod'
import { checkNames, findingCodes, outcomes } from '../admin/certification/certification-contract.ts'
import {
  type Certification,
  type CertificationStore,
  MAX_STORED_CERTIFICATIONS,
} from '../admin/certification/certification-store.ts'
import { receivedFactSchema, sentFactSchema } from '../admin/certification/evidence-contract.ts'
import type { NanoDollars } from '../canonical/money.ts'
import { brand } from '../kit/brand.ts'
import { parseJson } from '../kit/json/parse-json.ts'
import { storeUnavailable } from './sqlite/store-fault.ts'
import type { CertificationTable, Tables } from './tables.ts'

/** Stores certifications, each in one table row. */
export function createSqlCertificationStore(database: Kysely<Tables>): CertificationStore {
  return {
    async add(certification) {
      const row = writeRow(certification)
      await database.insertInto('certifications').values(row).execute()
      const newest = database
        .selectFrom('certifications')
        .select('id')
        .where('channel', '=', row.channel)
        .where('upstream_model', '=', row.upstream_model)
        .orderBy('id', 'desc')
        .limit(MAX_STORED_CERTIFICATIONS)
      await database
        .deleteFrom('certifications')
        .where('channel', '=', row.channel)
        .where('upstream_model', '=', row.upstream_model)
        .where('id', 'not in', newest)
        .execute()
    },
    async update(certification) {
      const { id, ...row } = writeRow(certification)
      const replacing = database.updateTable('certifications').set(row).where('id', '=', id).returning('id')
      const updated =
        row.state === 'cancelled'
          ? await replacing.execute()
          : await replacing.where('state', '!=', 'cancelled').execute()
      return updated.length > 0
    },
    async cancel(id, atMs) {
      await database
        .updateTable('certifications')
        .set({ state: 'cancelled', ended_at_ms: atMs, updated_at_ms: atMs })
        .where('id', '=', id)
        .where('state', 'in', ['queued', 'running'])
        .execute()
    },
    async find(id) {
      const row = await database
        .selectFrom('certifications')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst()
      return row === undefined ? undefined : readRow(row)
    },
    async list({ channel, model, isNewest, before, limit }) {
      let query = database.selectFrom('certifications').selectAll()
      if (channel !== undefined) query = query.where('channel', '=', channel)
      if (model !== undefined) query = query.where('model', '=', model)
      if (before !== undefined) query = query.where('id', '<', before)
      if (isNewest) query = query.where('id', 'in', newestIds(database))
      return (await query.orderBy('id', 'desc').limit(limit).execute()).map(readRow)
    },
  }
}

function newestIds(database: Kysely<Tables>) {
  return database
    .selectFrom('certifications')
    .select(({ fn }) => fn.max('id').as('id'))
    .groupBy(['channel', 'upstream_model'])
}

function writeRow(certification: Certification): Insertable<CertificationTable> {
  const { id, channel, model, upstreamModel, state, author, checks, results } = certification
  return {
    id,
    channel,
    model,
    state,
    author,
    upstream_model: upstreamModel,
    started_at_ms: certification.startedAtMs,
    ended_at_ms: certification.endedAtMs ?? null,
    updated_at_ms: certification.updatedAtMs,
    checks: JSON.stringify(checks),
    results: JSON.stringify(results),
    estimated_cost: certification.estimatedCost ?? null,
    cost: certification.cost ?? null,
  }
}

const checksSchema = z.array(z.enum(checkNames))
const resultsSchema = z.array(
  z.object({
    check: z.enum(checkNames),
    outcome: z.enum(outcomes),
    finding: z.enum(findingCodes),
    details: z.record(z.string(), z.union([z.string(), z.number()])),
    evidence: z.array(
      z
        .object({
          requestId: z.string().optional(),
          sent: z.string(),
          received: z.string(),
          // A version that knows other facts has the same sentences.
          sentFact: sentFactSchema.optional().catch(undefined),
          receivedFact: receivedFactSchema.optional().catch(undefined),
        })
        .transform(({ requestId, sent, received, sentFact, receivedFact }) => {
          return { requestId, sent, received, sentFact, receivedFact }
        }),
    ),
    durationMs: z.number(),
  }),
)

function readRow(row: Selectable<CertificationTable>): Certification {
  const { id, channel, model, state, author } = row
  try {
    return {
      id,
      channel,
      model,
      state,
      author,
      upstreamModel: row.upstream_model,
      startedAtMs: row.started_at_ms,
      endedAtMs: row.ended_at_ms ?? undefined,
      updatedAtMs: row.updated_at_ms,
      checks: checksSchema.parse(parseJson(row.checks)),
      results: resultsSchema.parse(parseJson(row.results)),
      estimatedCost: readAmount(row.estimated_cost),
      cost: readAmount(row.cost),
    }
  } catch (cause) {
    throw storeUnavailable(`the certification ${id} is damaged`, cause)
  }
}

function readAmount(amount: number | null): NanoDollars | undefined {
  return amount === null ? undefined : brand<NanoDollars>(amount)
}
