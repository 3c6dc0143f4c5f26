// Two nodes, each a process of its own, on one real PostgreSQL under load. The server is stopped for a time and started
// again, then halted as a machine that hangs is, then its disk is full, where this process may mount one. Keys without
// an exact budget are served all the time, others are refused with `ledger_unavailable` within 2 s, and served again
// without a restart. The nodes do not come back with more connections than they may have. In the end the ledger has one
// row of each answer, and adds up. AWAY_SECONDS, FAULTS (as `stopped,halted,full`) and SEED by the environment.
import { randomInt } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { startPostgres } from '../support/postgres.ts'
import { runHeadgate } from '../support/run-headgate.ts'
import { canMountDisks, openSmallDisk } from '../support/small-disk.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'
import { untilAsync } from '../support/until.ts'
import { askForStream, type StreamAnswer } from './ask-for-stream.ts'
import { bareId, type KeyName, keys, openSlowUpstream } from './killed-gateway.ts'

const AWAY_MS = Number(process.env['AWAY_SECONDS'] ?? 20) * 1_000
const SEED = Number(process.env['SEED'] ?? randomInt(1_000_000))
const FAULTS = (['stopped', 'halted', 'full'] as const).filter((fault) =>
  (process.env['FAULTS'] ?? 'stopped,halted,full').split(',').includes(fault),
)
type Fault = (typeof FAULTS)[number]

const NODES = 2
const CALLERS = 12
const PAUSE_MS = 20
const AROUND_MS = 5_000
/** A refusal comes after 2 s; the rest is the machine's, which runs all of this. */
const REFUSED_WITHIN_MS = 3_000
const SERVED_AGAIN_WITHIN_MS = 60_000
/** The connections of one node: those of its pool, and the one that hears of changes. */
const CONNECTIONS = 11
const DISK_MB = 256
const random = createSeededRandom(SEED)

interface Answer extends StreamAnswer {
  readonly key: KeyName
  readonly node: number
  readonly startedAtMs: number
  readonly endedAtMs: number
}

interface Span {
  readonly fault: Fault
  readonly fromMs: number
  readonly toMs: number
}

const answers: Answer[] = []
const failures: string[] = []
await using cleanup = new AsyncDisposableStack()
const server = cleanup.use(await startPostgres())
const disk = canMountDisks ? cleanup.use(openSmallDisk(DISK_MB)) : undefined
const url = disk === undefined ? await server.createDatabase() : await server.createDatabaseIn(disk.folder)
const upstream = cleanup.use(await openSlowUpstream(random, 100))
const nodes: StartedProcess[] = []
for (let index = 0; index < NODES; index += 1) nodes.push(cleanup.use(await startNode()))

process.stdout.write(`PostgreSQL ${server.version}, ${NODES} nodes, seed ${SEED}\n`)
const stop = new AbortController()
const callers = Array.from({ length: CALLERS }, (_, index) => call(index))
await wait(AROUND_MS)
for (const fault of FAULTS) await suffer(fault)
stop.abort()
await Promise.all(callers)
await checkLedger()
await cleanup.disposeAsync()
for (const failure of failures.slice(0, 20)) process.stdout.write(`  ${failure}\n`)
if (failures.length > 0) process.exitCode = 1

function startNode(): Promise<StartedProcess> {
  const yaml = `log: { level: warn }
keys:
  - { name: exact, secret: ${keys.exact}, budgets: [{ limit_usd: 100, window: total, mode: exact }] }
  - { name: free, secret: ${keys.free} }
models: { m: { price: { input: 1, output: 2 } } }
${channelYaml({ name: 'first', format: 'chat', origin: upstream.origin, models: ['m'] })}`
  return startProcess(
    yaml,
    {},
    {
      environment: {
        HEADGATE_DATABASE_URL: url,
        HEADGATE_SECRET: 'node-secret-0123456789abcdef',
        HEADGATE_ADMIN_TOKEN: 'admin-token-0123456789abcdef',
      },
      startsWithinMs: 120_000,
    },
  )
}

/** A third of the callers has the exact key, and half ask for whole answers. */
async function call(index: number): Promise<void> {
  const key: KeyName = index % 3 === 0 ? 'exact' : 'free'
  const node = index % NODES
  const asks = index % 4 < 2 ? 'whole' : 'stream'
  const agent = new Agent({ keepAlive: true })
  while (!stop.signal.aborted) {
    const startedAtMs = performance.now()
    const answer = await askForStream(String(nodes[node]?.url), { key, agent, asks })
    answers.push({ ...answer, key, node, startedAtMs, endedAtMs: performance.now() })
    await wait(PAUSE_MS)
  }
  agent.destroy()
}

async function suffer(fault: Fault): Promise<void> {
  if (fault === 'full' && disk === undefined) {
    process.stdout.write('full: not tried, since this process may mount no disk\n')
    return
  }
  const logged = nodes.map((node) => node.output().length)
  const before = await countSessions()
  const fromMs = performance.now()
  await begin(fault)
  await wait(AWAY_MS)
  const toMs = performance.now()
  await end(fault)
  const { most, sessions } = await watchConnections()
  const opened = sessions - before
  const backMs = await Promise.all(nodes.map((_, node) => servedAgainAfter(node, toMs)))
  await wait(AROUND_MS)
  report({ fault, fromMs, toMs }, backMs)
  const times = nodes.map(
    (node, index) => node.output().slice(logged[index]).split('is written again').length - 1,
  )
  process.stdout.write(
    `  the ledger was back ${times.join(' and ')} times; connections at once ${most}, opened ${opened}\n`,
  )
  if (times.some((count) => count > 1))
    failures.push(`${fault}: the ledger was back ${times.join(' and ')} times`)
  if (most > NODES * CONNECTIONS) failures.push(`${fault}: ${most} connections at once`)
  if (opened > 2 * NODES * CONNECTIONS) failures.push(`${fault}: ${opened} connections were opened`)
}

async function begin(fault: Fault): Promise<void> {
  switch (fault) {
    case 'stopped':
      return server.stop('fast')
    case 'halted':
      return server.signal('SIGSTOP')
    case 'full':
      return disk?.fillUntil(0)
  }
}

async function end(fault: Fault): Promise<void> {
  switch (fault) {
    case 'stopped':
      return server.start()
    case 'halted':
      return server.signal('SIGCONT')
    case 'full':
      return disk?.empty()
  }
}

/** What the server says of the connections of nodes, while they come back. */
async function watchConnections(): Promise<{ readonly most: number; readonly sessions: number }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const endMs = performance.now() + AROUND_MS
  let most = 0
  while (performance.now() < endMs) {
    const { rows } = await client.query<{ readonly count: number }>(
      "select count(*)::int as count from pg_stat_activity where application_name = 'headgate'",
    )
    most = Math.max(most, rows[0]?.count ?? 0)
    await wait(20)
  }
  await client.end()
  return { most, sessions: await countSessions() }
}

/** All connections to the database that there were, those of this program among them. */
async function countSessions(): Promise<number> {
  const [row] = await server.query(
    url,
    'select sessions::int from pg_stat_database where datname = current_database()',
  )
  return Number(row?.['sessions'])
}

/** The time from the end of a fault until a node serves a request of the exact key that came after it. */
async function servedAgainAfter(node: number, sinceMs: number): Promise<number> {
  const first = () =>
    answers.find(
      (each) => each.node === node && each.key === 'exact' && each.startedAtMs > sinceMs && each.isWhole,
    )
  await untilAsync(`node ${node} serves the exact key`, async () => first() !== undefined, {
    deadlineMs: SERVED_AGAIN_WITHIN_MS,
  })
  return Math.round((first()?.endedAtMs ?? sinceMs) - sinceMs)
}

/** Judges what callers saw from the beginning of a fault until now. */
function report({ fault, fromMs, toMs }: Span, backMs: readonly number[]): void {
  const since = answers.filter(({ endedAtMs }) => endedAtMs >= fromMs)
  const away = since.filter(({ startedAtMs }) => startedAtMs < toMs)
  const failed = since.filter(({ key, isWhole }) => key === 'free' && !isWhole)
  const refused = since.filter(({ key, isBegun }) => key === 'exact' && !isBegun)
  const unclear = refused.filter(
    ({ status, fault: text }) => status !== 503 || !text.includes('ledger_unavailable'),
  )
  const cut = since.filter(({ isBegun, isWhole }) => isBegun && !isWhole)
  const slowestMs = Math.round(Math.max(0, ...refused.map((each) => each.endedAtMs - each.startedAtMs)))
  const free = away.filter(({ key }) => key === 'free')
  const served = away.filter(({ key, isWhole }) => key === 'exact' && isWhole).length
  process.stdout.write(
    `${fault} for ${Math.round((toMs - fromMs) / 1_000)} s: free key ${free.length} answers meanwhile, p99 ${p99(free)} ms, failed ${failed.length}; exact key ${served} served and ${refused.length} refused, the slowest after ${slowestMs} ms, otherwise than documented ${unclear.length}; cut ${cut.length}; exact key served again after ${backMs.join(' and ')} ms\n`,
  )
  for (const { status, fault: text } of [...failed, ...unclear].slice(0, 5))
    failures.push(`${fault}: status ${status}, ${text}`)
  if (cut.length > 0) failures.push(`${fault}: ${cut.length} streams were cut`)
  if (slowestMs > REFUSED_WITHIN_MS) failures.push(`${fault}: a refusal took ${slowestMs} ms`)
  if (free.length === 0) failures.push(`${fault}: no request came meanwhile`)
}

function p99(of: readonly Answer[]): number {
  const sorted = of.map((each) => each.endedAtMs - each.startedAtMs).toSorted((a, b) => a - b)
  return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0)
}

/** Each answer that a caller saw the beginning of has one row, and all of them add up. */
async function checkLedger(): Promise<void> {
  const count = async (sql: string) => Number((await server.query(url, sql))[0]?.['count'])
  await untilAsync(
    'no attempt is open',
    async () => (await count('select count(*) from headgate.ledger_intents')) === 0,
    { deadlineMs: 180_000, everyMs: 500 },
  )
  const verified = await runHeadgate(['ledger', 'verify'], {
    folder: String(nodes[0]?.folder),
    environment: { HEADGATE_ADMIN_TOKEN: 'admin-token-0123456789abcdef' },
  })
  const rows = await server.query(
    url,
    'select request_id, attempt, state from headgate.ledger_rows where cost > 0',
  )
  const recorded = new Set(rows.map((row) => bareId(String(row['request_id']))))
  const begun = answers.filter(({ isBegun }) => isBegun)
  const lost = begun.filter(({ requestId }) => !recorded.has(bareId(requestId))).length
  const doubled = rows.length - new Set(rows.map((row) => `${row['request_id']}/${row['attempt']}`)).size
  const estimated = rows.filter(({ state }) => state === 'estimated').length
  process.stdout.write(
    `postgres away (seed ${SEED}): ${answers.length} requests, ${begun.length} answers, ${rows.length} rows, of which ${estimated} estimated; lost ${lost}, doubled ${doubled}; ${verified.output.trim()}${verified.errors.trim()}\n`,
  )
  if (lost > 0) failures.push(`${lost} answers have no row`)
  if (doubled > 0) failures.push(`${doubled} rows are there twice`)
  if (verified.code !== 0) failures.push(`ledger verify: ${verified.output}${verified.errors}`)
}
