import { expect, test } from 'vitest'
import { requestListSchema } from '../../src/admin/requests/request-contract.ts'
import { DAY_MS } from '../../src/kit/time/time-units.ts'
import { packRow } from '../../src/request-log/pack-row.ts'
import { createPostgresRequestLog } from '../../src/storage/postgres/request-log/request-log-postgres.ts'
import { describeRequestLog } from '../contract/request-log-store.ts'
import { describeTraffic } from '../contract/request-traffic.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { joinRows } from '../support/join-rows.ts'
import { createRequestRow } from '../support/request-row.ts'
import { type StartedGateway, testKey } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'
import { callNode, useNodes } from './open-nodes.ts'

const { openNodes, database } = useNodes()
/** Rows that are ahead of the database's clock are stored as if they were of now. */
const START_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 40 * DAY_MS

async function openLog(windowRows = 4_000) {
  const { database: pool } = database()
  const state = ['request_log_state', 'traffic_state']
  const tables = ['requests', 'shapes', 'reach', 'request_days', 'traffic', 'traffic_subjects', ...state]
  await pool.query(`truncate ${tables.join(', ')}`)
  for (const each of state) await pool.query(`insert into ${each} default values`)
  return createPostgresRequestLog(pool, { windowRows })
}

describeRequestLog('PostgreSQL', { open: openLog, runs: 6, startMs: START_MS })
describeTraffic('PostgreSQL', { open: openLog, runs: 4, startMs: START_MS })

const rowsOf = (endedAtMs: number, count: number, name = '') =>
  Array.from({ length: count }, (_row, index) =>
    packRow(createRequestRow({ endedAtMs, requestId: `req_${name}${endedAtMs}_${index}` })),
  )

async function listPartitions(): Promise<readonly string[]> {
  const { rows } = await database().database.query(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'requests'::regclass order by 1`,
  )
  return rows.map(({ name }) => String(name))
}

test('retention drops the partitions of whole days, and the traffic of the rest stays correct', async () => {
  const log = await openLog()
  for (const days of [0, 1, 2]) await log.append(joinRows(rowsOf(START_MS + days * DAY_MS + 5, 30)))
  const before = await listPartitions()
  await log.prune({ endedBeforeMs: START_MS + 2 * DAY_MS, maxRows: 1_000 })
  const { rows } = await log.page({ limit: 100 })
  expect(rows).toHaveLength(30)
  expect(rows.every(({ endedAtMs }) => endedAtMs === START_MS + 2 * DAY_MS + 5)).toBe(true)
  const after = await listPartitions()
  expect(before.filter((name) => !after.includes(name))).toHaveLength(2)
  const span = { sinceMs: START_MS + 2 * DAY_MS, untilMs: START_MS + 3 * DAY_MS }
  const { totals } = await log.traffic({ ...span, timeZone: 'UTC', filter: {}, limit: 10 })
  expect(totals.requests).toBe(30)
})

test('rows above the limit are deleted, the oldest first', async () => {
  const log = await openLog()
  for (const days of [0, 1]) await log.append(joinRows(rowsOf(START_MS + days * DAY_MS, 100)))
  await log.prune({ endedBeforeMs: 0, maxRows: 50 })
  expect((await log.page({ limit: 500 })).rows).toHaveLength(50)
})

test('a reader that follows the log misses no row, for any number of nodes that write at once', async () => {
  const log = await openLog()
  const nowMs = Date.now()
  const logs = Array.from({ length: 4 }, () => createPostgresRequestLog(database().database))
  const seen: string[] = []
  let last = 0
  const readOn = async () => {
    for (;;) {
      const { rows } = await log.page({ after: last, limit: 500 })
      if (rows.length === 0) return
      // A page has the newest; with all of them on it, nothing lies between it and the last one.
      expect(rows.length).toBeLessThan(500)
      seen.push(...rows.map(({ requestId }) => requestId))
      last = rows[0]?.id ?? last
    }
  }
  for (let round = 0; round < 10; round += 1)
    await Promise.all([
      ...logs.map((each, index) => each.append(joinRows(rowsOf(nowMs - round, 20, `${round}_${index}_`)))),
      readOn(),
    ])
  await readOn()
  expect(seen).toHaveLength(800)
  expect(new Set(seen).size).toBe(800)
})

test('a request that one node served is listed by the other', async () => {
  const { nodes } = await openNodes()
  const [first, second] = nodes
  for (const node of nodes) expect((await callNode(node, testKey)).status).toBe(200)
  const list = async (node: StartedGateway | undefined) =>
    requestListSchema.parse((await createAskAdmin(String(node?.url))('GET', '/requests')).body).data
  await untilAsync('both are listed', async () => (await list(first)).length === 2)
  expect(await list(second)).toEqual(await list(first))
})
