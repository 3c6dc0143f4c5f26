import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import { z } from 'zod'
import { type Alert, alertKinds, resolutions, severities } from '../alerts/alert.ts'
import type { AlertMarks, AlertQuery, AlertStore } from '../alerts/alert-store.ts'
import { parseJson } from '../kit/json/parse-json.ts'
import { storeUnavailable } from './sqlite/store-fault.ts'
import type { AlertTable, Tables } from './tables.ts'

const names = z.string().optional()

const contentSchema = z.object({
  rule: z.string(),
  level: z.number(),
  subject: z.object({
    channel: names,
    credential: names,
    model: names,
    key: names,
    budget: names,
    certificate: names,
  }),
  message: z.string(),
  advice: z.string().optional(),
  details: z.record(z.string(), z.json()),
  reportedAtMs: z.number(),
  // A row of an earlier version has none.
  peakSeverity: z.enum(severities).optional(),
  resolved: z.object({ atMs: z.number(), as: z.enum(resolutions), message: z.string() }).optional(),
  acknowledged: z.object({ by: z.string(), atMs: z.number(), comment: z.string().optional() }).optional(),
  mute: z.object({ by: z.string(), atMs: z.number(), untilMs: z.number() }).optional(),
})

export function createSqlAlertStore(database: Kysely<Tables>): AlertStore {
  return {
    async loadLive(nowMs) {
      const open = await database
        .selectFrom('alerts')
        .selectAll()
        .where('resolved_at_ms', 'is', null)
        .execute()
      const muted = await database
        .selectFrom('alerts')
        .selectAll()
        .where('muted_until_ms', '>', nowMs)
        .where('resolved_at_ms', 'is not', null)
        .orderBy('opened_at_ms')
        .execute()
      const newest = new Map(muted.map((row) => [row.identity, row]))
      return [...newest.values(), ...open].map(readRow)
    },
    save: (alerts) =>
      database.transaction().execute(async (transaction) => {
        for (const alert of alerts) await saveAlert(transaction, alert)
      }),
    change: (id, changed) =>
      database.transaction().execute((transaction) => changeOpen(transaction, id, changed)),
    async find(id) {
      const row = await database.selectFrom('alerts').selectAll().where('id', '=', id).executeTakeFirst()
      return row === undefined ? undefined : readRow(row)
    },
    async page(query) {
      const rows = await select(database, query)
        .orderBy('opened_at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(query.limit + 1)
        .execute()
      return { alerts: rows.slice(0, query.limit).map(readRow), hasMore: rows.length > query.limit }
    },
    async prune({ resolvedBeforeMs, maxResolved }) {
      await database.deleteFrom('alerts').where('resolved_at_ms', '<', resolvedBeforeMs).execute()
      const newest = await database
        .selectFrom('alerts')
        .select('resolved_at_ms')
        .where('resolved_at_ms', 'is not', null)
        .orderBy('resolved_at_ms', 'desc')
        .offset(maxResolved)
        .limit(1)
        .executeTakeFirst()
      if (newest?.resolved_at_ms != null)
        await database.deleteFrom('alerts').where('resolved_at_ms', '<=', newest.resolved_at_ms).execute()
    },
  }
}

async function saveAlert(transaction: Transaction<Tables>, alert: Alert): Promise<void> {
  const row = writeRow(alert)
  await transaction
    .insertInto('alerts')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(row)
        .where(({ or, eb }) =>
          or([eb('alerts.resolved_at_ms', 'is', null), eb('excluded.resolved_at_ms', 'is not', null)]),
        ),
    )
    .execute()
}

async function changeOpen(
  transaction: Transaction<Tables>,
  id: string,
  changed: AlertMarks,
): Promise<Alert | undefined> {
  const found = await transaction
    .selectFrom('alerts')
    .selectAll()
    .where('id', '=', id)
    .where('resolved_at_ms', 'is', null)
    .executeTakeFirst()
  if (found === undefined) return undefined
  const alert = { ...readRow(found), ...changed }
  await transaction.updateTable('alerts').set(writeRow(alert)).where('id', '=', id).execute()
  return alert
}

function select(database: Kysely<Tables>, { state, kind, severity, channel, after }: AlertQuery) {
  let rows = database.selectFrom('alerts').selectAll()
  if (state !== undefined) rows = rows.where('resolved_at_ms', state === 'open' ? 'is' : 'is not', null)
  if (kind !== undefined) rows = rows.where('kind', '=', kind)
  if (severity !== undefined) rows = rows.where('severity', '=', severity)
  if (channel !== undefined) rows = rows.where('channel', '=', channel)
  if (after === undefined) return rows
  const { openedAtMs, id } = after
  return rows.where((term) =>
    term.or([
      term('opened_at_ms', '<', openedAtMs),
      term.and([term('opened_at_ms', '=', openedAtMs), term('id', '<', id)]),
    ]),
  )
}

function writeRow(alert: Alert): Insertable<AlertTable> {
  const { id, identity, kind, severity, openedAtMs, ...content } = alert
  return {
    id,
    identity,
    kind,
    severity,
    channel: alert.subject.channel ?? null,
    opened_at_ms: openedAtMs,
    resolved_at_ms: alert.resolved?.atMs ?? null,
    muted_until_ms: alert.mute?.untilMs ?? null,
    content: JSON.stringify(content),
  }
}

const columnsSchema = z.object({ kind: z.enum(alertKinds), severity: z.enum(severities) })

function readRow(row: Selectable<AlertTable>): Alert {
  try {
    const { advice, resolved, acknowledged, mute, subject, peakSeverity, ...content } = contentSchema.parse(
      parseJson(row.content),
    )
    const columns = columnsSchema.parse(row)
    return {
      ...content,
      ...columns,
      peakSeverity: peakSeverity ?? columns.severity,
      id: row.id,
      identity: row.identity,
      openedAtMs: row.opened_at_ms,
      advice,
      resolved,
      mute,
      acknowledged: acknowledged && { ...acknowledged, comment: acknowledged.comment },
      subject: Object.fromEntries(Object.entries(subject).filter(([, name]) => name !== undefined)),
    }
  } catch (cause) {
    throw storeUnavailable(`the alert ${row.id} is damaged`, cause)
  }
}
