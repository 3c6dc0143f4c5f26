// Two nodes, each a process of its own, on one real PostgreSQL under load. The server is stopped for a time and started
// again, then halted as a machine that hangs is, then its disk is full, where this process may mount one. Keys without
// an exact budget are served all the time, others are refused with `ledger_unavailable` within 2 s, and served again
// without a restart. The nodes do not come back with more connections than they may have. In the end the ledger has one
// row of each answer, and adds up. AWAY_SECONDS, FAULTS (as `stopped,halted,full`) and SEED by the environment.
import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { startPostgres } from '../support/postgres.ts'
import { canMountDisks, openSmallDisk } from '../support/small-disk.ts'
import type { StartedProcess } from '../support/start-process.ts'
import { openSlowUpstream } from './killed-gateway.ts'
import { judgeLedger, loadNodes, type NodeAnswer, startLoadedNode, untilSettled } from './node-load.ts'

const AWAY_MS = Number(process.env['AWAY_SECONDS'] ?? 20) * 1_000
const SEED = Number(process.env['SEED'] ?? randomInt(1_000_000))
const FAULTS = (['stopped', 'halted', 'full'] as const).filter((fault) =>
  (process.env['FAULTS'] ?? 'stopped,halted,full').split(',').includes(fault),
)
type Fault = (typeof FAULTS)[number]

const NODES = 2
const CALLERS_OF_NODE = 6
/** More than all of them spend. */
const LIMIT = 100_000_000_000
const AROUND_MS = 5_000
/** A refusal comes after 2 s; the rest is the machine's, which runs all of this. */
const REFUSED_WITHIN_MS = 3_000
/** The connections of one node: those of its pool, and the one that hears of changes. */
const CONNECTIONS = 11
const DISK_MB = 256
const random = createSeededRandom(SEED)

interface Span {
  readonly fault: Fault
  readonly fromMs: number
  readonly toMs: number
}

const failures: string[] = []
await using cleanup = new AsyncDisposableStack()
const server = cleanup.use(await startPostgres())
const disk = canMountDisks ? cleanup.use(openSmallDisk(DISK_MB)) : undefined
const url = disk === undefined ? await server.createDatabase() : await server.createDatabaseIn(disk.folder)
const upstream = cleanup.use(await openSlowUpstream(random, 100))
const nodes: StartedProcess[] = []
for (let index = 0; index < NODES; index += 1)
  nodes.push(cleanup.use(await startLoadedNode({ url, origin: upstream.origin, limit: LIMIT })))

process.stdout.write(`PostgreSQL ${server.version}, ${NODES} nodes, seed ${SEED}\n`)
const load = loadNodes(nodes, CALLERS_OF_NODE)
const { answers } = load
await wait(AROUND_MS)
for (const fault of FAULTS) await suffer(fault)
await load.stop()
await untilSettled(server, url)
const { text, faults } = await judgeLedger({ server, url, node: nodes[0] }, answers)
process.stdout.write(`postgres away (seed ${SEED}): ${text}\n`)
failures.push(...faults)
await cleanup.disposeAsync()
for (const failure of failures.slice(0, 20)) process.stdout.write(`  ${failure}\n`)
if (failures.length > 0) process.exitCode = 1

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
  const backMs = await Promise.all(nodes.map((_, node) => load.servedAgainAfter(node, toMs)))
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

function p99(of: readonly NodeAnswer[]): number {
  const sorted = of.map((each) => each.endedAtMs - each.startedAtMs).toSorted((a, b) => a - b)
  return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0)
}
