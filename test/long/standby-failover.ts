// Two nodes, each a process of its own, on a real PostgreSQL with a synchronous standby, under load. The primary dies by
// SIGKILL, the standby is promoted, and the address of the database leads to it from then on. `killed`: the machine lives
// and ends the connections. `silent`: the machine is gone, and no packet ever comes back over the connections to it.
// Keys without an exact budget are served all the time, no stream is cut, nothing that was written is lost or there
// twice, the budget is not overshot, and all is served again without a restart. OUTAGE_SECONDS until the standby is
// promoted, MODES and SEED by the environment.
import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import type { StartedProcess } from '../support/start-process.ts'
import { openTcpForwarder, type TcpForwarder } from '../support/tcp-forwarder.ts'
import { openSlowUpstream } from './killed-gateway.ts'
import {
  judgeLedger,
  loadNodes,
  type NodeLoad,
  spendRest,
  startLoadedNode,
  untilSettled,
} from './node-load.ts'

const OUTAGE_MS = Number(process.env['OUTAGE_SECONDS'] ?? 10) * 1_000
const SEED = Number(process.env['SEED'] ?? randomInt(1_000_000))
const MODES = (['killed', 'silent'] as const).filter((mode) =>
  (process.env['MODES'] ?? 'killed,silent').split(',').includes(mode),
)
type Mode = (typeof MODES)[number]

const NODES = 2
const CALLERS_OF_NODE = 6
const AROUND_MS = 5_000
const LIMIT = 24_000_000
/** A refusal comes after 2 s; the rest is the machine's, which runs all of this. */
const REFUSED_WITHIN_MS = 3_000
const random = createSeededRandom(SEED)
const failures: string[] = []

for (const mode of MODES) await failOver(mode)
for (const failure of failures.slice(0, 20)) process.stdout.write(`  ${failure}\n`)
if (failures.length > 0) process.exitCode = 1

async function failOver(mode: Mode): Promise<void> {
  await using cleanup = new AsyncDisposableStack()
  const primary = cleanup.use(await startPostgres())
  const standby = cleanup.use(await primary.startStandby())
  const url = await primary.createDatabase()
  const address = cleanup.use(await openTcpForwarder(primary.port))
  const upstream = cleanup.use(await openSlowUpstream(random, 100))
  const nodes: StartedProcess[] = []
  for (let index = 0; index < NODES; index += 1)
    nodes.push(
      cleanup.use(
        await startLoadedNode({ url: portOf(url, address.port), origin: upstream.origin, limit: LIMIT }),
      ),
    )
  process.stdout.write(`PostgreSQL ${primary.version} with a standby, ${NODES} nodes, seed ${SEED}\n`)
  const load = loadNodes(nodes, CALLERS_OF_NODE)
  await wait(AROUND_MS)
  const fromMs = performance.now()
  await losePrimary(mode, primary, address)
  await wait(OUTAGE_MS)
  await standby.query(portOf(url, standby.port), 'select pg_promote()')
  address.leadTo(standby.port)
  const toMs = performance.now()
  const backMs = await Promise.all(nodes.map((_, node) => load.servedAgainAfter(node, toMs)))
  await wait(AROUND_MS)
  await load.stop()
  reportLoad(mode, load, { fromMs, toMs, backMs })
  await untilSettled(standby, portOf(url, standby.port))
  const rest = await spendRest(nodes)
  await untilSettled(standby, portOf(url, standby.port))
  const judged = { server: standby, url: portOf(url, standby.port), node: nodes[0], limit: LIMIT }
  const { text, faults } = await judgeLedger(judged, [...load.answers, ...rest])
  process.stdout.write(`  in all ${text}\n`)
  failures.push(...faults.map((fault) => `${mode}: ${fault}`))
  if (nodes.some(({ child }) => child.exitCode !== null)) failures.push(`${mode}: a node has ended`)
}

function portOf(url: string, port: number): string {
  const other = new URL(url)
  other.port = String(port)
  return other.href
}

async function losePrimary(mode: Mode, primary: PostgresServer, address: TcpForwarder): Promise<void> {
  if (mode === 'silent') address.hold('to-server', 'from-server')
  await primary.stop('killed')
}

interface Outage {
  readonly fromMs: number
  readonly toMs: number
  readonly backMs: readonly number[]
}

function reportLoad(mode: Mode, { answers }: NodeLoad, { fromMs, toMs, backMs }: Outage): void {
  const free = answers.filter(({ key }) => key === 'free')
  const meanwhile = free.filter(({ startedAtMs, endedAtMs }) => endedAtMs >= fromMs && startedAtMs < toMs)
  const failed = free.filter(({ isWhole }) => !isWhole)
  const refused = answers.filter(({ key, isBegun }) => key === 'exact' && !isBegun)
  const unclear = refused.filter(
    ({ status, fault }) => status !== 503 || !fault.includes('ledger_unavailable'),
  )
  const untimely = refused.filter(
    ({ startedAtMs, endedAtMs }) => endedAtMs < fromMs || startedAtMs > toMs + Math.max(...backMs),
  )
  const cut = answers.filter(({ isBegun, isWhole }) => isBegun && !isWhole)
  const slowestMs = Math.round(Math.max(0, ...refused.map((each) => each.endedAtMs - each.startedAtMs)))
  process.stdout.write(
    `${mode} for ${Math.round((toMs - fromMs) / 1_000)} s: free key ${meanwhile.length} answers meanwhile, failed ${failed.length}; exact key ${refused.length} refused, the slowest after ${slowestMs} ms, otherwise than documented ${unclear.length}; cut ${cut.length}; exact key served again after ${backMs.join(' and ')} ms\n`,
  )
  for (const { status, fault } of [...failed, ...unclear, ...untimely].slice(0, 5))
    failures.push(`${mode}: status ${status}, ${fault}`)
  if (cut.length > 0) failures.push(`${mode}: ${cut.length} answers were cut`)
  if (slowestMs > REFUSED_WITHIN_MS) failures.push(`${mode}: a refusal took ${slowestMs} ms`)
  if (meanwhile.length === 0) failures.push(`${mode}: no request came meanwhile`)
}
