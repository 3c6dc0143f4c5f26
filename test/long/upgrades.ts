// Upgrades two nodes on one real PostgreSQL under load, again and again, as a rolling update does: a node of the next
// version, which has one more step of the tables, starts and serves; the balancer stops sending to an old one, which
// gets SIGTERM a moment later and finishes what it answers. In between nodes of both versions serve. No request fails,
// no stream is cut, each answer has one row, and the exact budget is not overshot. UPGRADES and SEED by the environment.
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { startPostgres } from '../support/postgres.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'
import { until, untilAsync } from '../support/until.ts'
import { askForStream, type StreamAnswer } from './ask-for-stream.ts'
import { bareId, type KeyName, keys, openSlowUpstream } from './killed-gateway.ts'

const UPGRADES = Number(process.env['UPGRADES'] ?? 20)
const SEED = Number(process.env['SEED'] ?? randomInt(1_000_000))
const NODES = 2
const CALLERS = 12
const MAX_STREAM_MS = 4_000
const STEP_WITHIN_MS = 120_000
/** The time for which both versions serve side by side, and that a balancer takes to send nothing more to a node. */
const SIDE_BY_SIDE_MS = 500
const BALANCER_MS = 300
const LIMIT = 6_000_000_000
const random = createSeededRandom(SEED)
const secrets = {
  HEADGATE_SECRET: 'node-secret-0123456789abcdef',
  HEADGATE_ADMIN_TOKEN: 'admin-token-0123456789abcdef',
}

const failures: string[] = []
const answers: StreamAnswer[] = []
await using cleanup = new AsyncDisposableStack()
const folder = mkdtempSync(join(tmpdir(), 'headgate-upgrades-'))
cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
const server = cleanup.use(await startPostgres())
const url = await server.createDatabase()
const upstream = cleanup.use(await openSlowUpstream(random, MAX_STREAM_MS))
/** The nodes that the balancer sends to. */
const nodes: StartedProcess[] = []
for (let index = 0; index < NODES; index += 1) nodes.push(await startNode(0))
cleanup.defer(async () => void (await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))))

const stop = new AbortController()
const callers = Array.from({ length: CALLERS }, (_, index) => call(index))
const startedAtMs = performance.now()
let slowestMs = 0
for (let version = 1; version <= UPGRADES; version += 1) {
  const beganAtMs = performance.now()
  for (let index = 0; index < NODES; index += 1) await replaceOldest(version)
  slowestMs = Math.max(slowestMs, performance.now() - beganAtMs)
  if (version % 5 === 0)
    process.stdout.write(`${version} of ${UPGRADES} upgrades, ${answers.length} answers\n`)
}
const tookMs = performance.now() - startedAtMs
stop.abort()
await Promise.all(callers)
await check()
await cleanup.disposeAsync()
for (const failure of failures.slice(0, 20)) process.stdout.write(`  ${failure}\n`)
if (failures.length > 0) process.exitCode = 1

function startNode(version: number): Promise<StartedProcess> {
  const file = join(folder, String(version))
  writeFileSync(file, String(version))
  const yaml = `log: { level: silent }
keys:
  - { name: exact, secret: ${keys.exact}, budgets: [{ limit_usd: ${LIMIT / 1e9}, window: total, mode: exact }] }
  - { name: free, secret: ${keys.free} }
models: { m: { price: { input: 1, output: 2 } } }
${channelYaml({ name: 'first', format: 'chat', origin: upstream.origin, models: ['m'] })}`
  return startProcess(
    yaml,
    {},
    {
      environment: { ...secrets, HEADGATE_DATABASE_URL: url, UPGRADES_FILE: file },
      launcher: join(import.meta.dirname, 'upgraded-headgate.ts'),
      startsWithinMs: STEP_WITHIN_MS,
    },
  )
}

async function replaceOldest(version: number): Promise<void> {
  nodes.push(await startNode(version))
  await wait(SIDE_BY_SIDE_MS)
  const old = nodes.shift()
  if (old === undefined) return
  await wait(BALANCER_MS)
  old.child.kill('SIGTERM')
  const hasEnded = () => old.child.exitCode !== null || old.child.signalCode !== null
  await until('the old node has ended', hasEnded, { deadlineMs: STEP_WITHIN_MS })
  if (old.child.exitCode !== 0) failures.push(`an old node ended with ${old.child.exitCode}: ${old.errors()}`)
  await old[Symbol.asyncDispose]()
}

/** Half of the callers keep their connections open, and a third ask for whole answers. */
async function call(index: number): Promise<void> {
  const key: KeyName = index % 2 === 0 ? 'exact' : 'free'
  const asks = index % 3 === 0 ? 'whole' : 'stream'
  const agent = new Agent({ keepAlive: index % 4 < 2 })
  for (let next = index; !stop.signal.aborted; next += 1)
    answers.push(await askForStream(String(nodes[next % nodes.length]?.url), { key, agent, asks }))
  agent.destroy()
}

async function count(sql: string): Promise<number> {
  return Number((await server.query(url, sql))[0]?.['count'])
}

async function check(): Promise<void> {
  const isSettled = async () => (await count('select count(*) from headgate.ledger_intents')) === 0
  await untilAsync('no attempt is open', isSettled, { deadlineMs: STEP_WITHIN_MS, everyMs: 500 })
  const verified = await createAskAdmin(String(nodes[0]?.url))('POST', '/ledger/verify')
  const steps = await count("select count(*) from headgate.migrations where name like 'upgrade %'")
  const rows = await server.query(
    url,
    'select request_id, attempt, state from headgate.ledger_rows where cost > 0',
  )
  const spent = await count(
    "select coalesce(sum((part->>'amount')::bigint), 0) as count from headgate.ledger_rows, jsonb_array_elements(counted::jsonb) as part",
  )
  const recorded = new Set(rows.map((row) => bareId(String(row['request_id']))))
  const begun = answers.filter(({ isBegun }) => isBegun)
  const lost = begun.filter(({ requestId }) => !recorded.has(bareId(requestId))).length
  const doubled = rows.length - new Set(rows.map((row) => `${row['request_id']}/${row['attempt']}`)).size
  const estimated = rows.filter(({ state }) => state === 'estimated').length
  const cut = begun.filter(({ isWhole }) => !isWhole)
  const failed = answers.filter(({ isBegun }) => !isBegun)
  process.stdout.write(
    `upgrades (seed ${SEED}, ${NODES} nodes): ${UPGRADES} upgrades, ${steps} steps of tables, in ${Math.round(tookMs / 1_000)} s, the slowest ${Math.round(slowestMs / 1_000)} s; ${answers.length} answers, failed ${failed.length}, cut ${cut.length}; ${rows.length} rows, ${estimated} of them estimates, lost ${lost}, doubled ${doubled}, overshoot ${Math.max(0, spent - LIMIT)}; ledger verify: ${verified.text.trim()}\n`,
  )
  for (const { status, fault } of failed) failures.push(`failed: status ${status}, ${fault}`)
  for (const { fault } of cut) failures.push(`cut: ${fault}`)
  const bounds = {
    lost,
    doubled,
    estimated,
    overshoot: Math.max(0, spent - LIMIT),
    missing: UPGRADES - steps,
  }
  for (const [what, amount] of Object.entries(bounds)) if (amount > 0) failures.push(`${what}: ${amount}`)
  if (!verified.text.includes('"adds_up":true')) failures.push(`ledger verify: ${verified.text}`)
}
