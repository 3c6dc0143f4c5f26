// One of three nodes on a real PostgreSQL is cut off for 30 s under load. `apart`: no packet gets through between it and
// the database; `deaf` and `mute`: none from the database to it, or none to the database. Neither side sees an end of a
// connection. `paused`: its process is stopped by SIGSTOP. The others serve all the time, the node serves again without
// a restart, no stream is cut, no row is lost or there twice, and the budget is spent to its end and no further. SECONDS,
// MODES and SEED by the environment.
import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { startPostgres } from '../support/postgres.ts'
import type { StartedProcess } from '../support/start-process.ts'
import { openTcpForwarder, type TcpForwarder } from '../support/tcp-forwarder.ts'
import { openSlowUpstream } from './killed-gateway.ts'
import {
  judgeLedger,
  loadNodes,
  type NodeAnswer,
  spendRest,
  startLoadedNode,
  untilSettled,
} from './node-load.ts'

const AWAY_MS = Number(process.env['SECONDS'] ?? 30) * 1_000
const SEED = Number(process.env['SEED'] ?? randomInt(1_000_000))
const MODES = (['apart', 'deaf', 'mute', 'paused'] as const).filter((mode) =>
  (process.env['MODES'] ?? 'apart,deaf,mute,paused').split(',').includes(mode),
)
type Mode = (typeof MODES)[number]

const NODES = 3
const CALLERS_OF_NODE = 6
const AROUND_MS = 5_000
const LIMIT = 36_000_000
/** A refusal comes after 2 s; the rest is the machine's, which runs all of this. */
const REFUSED_WITHIN_MS = 3_000
const heldBy = { apart: ['to-server', 'from-server'], deaf: ['from-server'], mute: ['to-server'] } as const
const random = createSeededRandom(SEED)
const failures: string[] = []
const server = await startPostgres()
await using cleanup = new AsyncDisposableStack()
cleanup.use(server)
const upstream = cleanup.use(await openSlowUpstream(random, 100))

process.stdout.write(`PostgreSQL ${server.version}, ${NODES} nodes, seed ${SEED}\n`)
for (const mode of MODES) await cutOff(mode)
for (const failure of failures.slice(0, 20)) process.stdout.write(`  ${failure}\n`)
if (failures.length > 0) process.exitCode = 1

async function cutOff(mode: Mode): Promise<void> {
  await using installation = new AsyncDisposableStack()
  const url = await server.createDatabase()
  const forwarder = installation.use(await openTcpForwarder(server.port))
  const ofFirst = new URL(url)
  ofFirst.port = String(forwarder.port)
  const nodes: StartedProcess[] = []
  for (let index = 0; index < NODES; index += 1) {
    const options = { url: index === 0 ? ofFirst.href : url, origin: upstream.origin, limit: LIMIT }
    nodes.push(installation.use(await startLoadedNode(options)))
  }
  const load = loadNodes(nodes, CALLERS_OF_NODE)
  await wait(AROUND_MS)
  const [fromMs, sinceMs] = [performance.now(), Date.now()]
  begin(mode, forwarder, nodes[0])
  await wait(AWAY_MS)
  await leasesEndedAfter(mode, url, sinceMs)
  const toMs = performance.now()
  end(mode, forwarder, nodes[0])
  const backMs = await load.servedAgainAfter(0, toMs)
  await wait(AROUND_MS)
  await load.stop()
  report(mode, load.answers, { fromMs, toMs, backMs })
  await untilSettled(server, url)
  const rest = await spendRest(nodes)
  await untilSettled(server, url)
  const judged = { server: server, url: url, node: nodes[0], limit: LIMIT }
  const { text, faults } = await judgeLedger(judged, [...load.answers, ...rest])
  process.stdout.write(`  in all ${text}\n`)
  failures.push(...faults.map((fault) => `${mode}: ${fault}`))
  if (faults.length > 0)
    process.stdout.write(
      `  the end was at ${Math.round(toMs)} ms, nodes said: ${nodes.map((node) => node.output().slice(-2_000)).join(' | ')}\n`,
    )
  if (nodes.some(({ child }) => child.exitCode !== null)) failures.push(`${mode}: a node has ended`)
}

function begin(mode: Mode, forwarder: TcpForwarder, node: StartedProcess | undefined): void {
  if (mode === 'paused') node?.child.kill('SIGSTOP')
  else forwarder.hold(...heldBy[mode])
}

function end(mode: Mode, forwarder: TcpForwarder, node: StartedProcess | undefined): void {
  if (mode === 'paused') node?.child.kill('SIGCONT')
  else forwarder.release()
}

/** When the others ended the leases of a node that was away, by the clock of the database. */
async function leasesEndedAfter(mode: Mode, url: string, sinceMs: number): Promise<void> {
  const ended = await server.query(
    url,
    'select ended_at_ms from headgate.nodes where ended_at_ms is not null',
  )
  const afterMs = ended.map((row) => Number(row['ended_at_ms']) - sinceMs)
  process.stdout.write(
    `${mode}: leases of ${ended.length} nodes were taken back, after ${afterMs.join(', ')} ms\n`,
  )
  if (ended.length !== 1) failures.push(`${mode}: leases of ${ended.length} nodes were taken back`)
}

interface Span {
  readonly fromMs: number
  readonly toMs: number
  readonly backMs: number
}

function report(mode: Mode, answers: readonly NodeAnswer[], { fromMs, toMs, backMs }: Span): void {
  const during = answers.filter(({ startedAtMs, endedAtMs }) => endedAtMs >= fromMs && startedAtMs < toMs)
  const others = answers.filter(({ node, endedAtMs }) => node !== 0 && endedAtMs >= fromMs)
  const failedOfOthers = others.filter(({ isWhole }) => !isWhole)
  const own = answers.filter(({ node }) => node === 0)
  const failed = own.filter(({ key, isWhole }) => key === 'free' && !isWhole)
  const refused = own.filter(({ key, isBegun }) => key === 'exact' && !isBegun)
  // A stream that has said nothing for 10 s has status 200, and refuses by an event.
  const unclear = refused.filter(({ status, fault }) => status === 0 || !fault.includes('ledger_unavailable'))
  const cut = answers.filter(({ isBegun, isWhole }) => isBegun && !isWhole)
  const slowestMs = longest(refused)
  const servedOf = (key: 'exact' | 'free') =>
    during.filter((each) => each.node === 0 && each.key === key && each.isWhole).length
  process.stdout.write(
    `${mode} for ${Math.round((toMs - fromMs) / 1_000)} s: the node served ${servedOf('free')} of the free key meanwhile and failed ${failed.length}, of the exact key it served ${servedOf('exact')} and refused ${refused.length}, the slowest after ${slowestMs} ms, otherwise than documented ${unclear.length}; served again after ${backMs} ms; the others served ${during.filter(({ node, isWhole }) => node !== 0 && isWhole).length}, failed ${failedOfOthers.length}, the slowest ${longest(others)} ms; cut ${cut.length}\n`,
  )
  for (const { status, fault, node, startedAtMs, endedAtMs } of [
    ...failed,
    ...unclear,
    ...failedOfOthers,
  ].slice(0, 5))
    failures.push(
      `${mode}: node ${node}, from ${Math.round(startedAtMs - toMs)} to ${Math.round(endedAtMs - toMs)} ms after the end, status ${status}, ${fault}`,
    )
  if (cut.length > 0) failures.push(`${mode}: ${cut.length} answers were cut`)
  if (mode !== 'paused' && slowestMs > REFUSED_WITHIN_MS)
    failures.push(`${mode}: a refusal took ${slowestMs} ms`)
}

function longest(of: readonly NodeAnswer[]): number {
  return Math.round(Math.max(0, ...of.map((each) => each.endedAtMs - each.startedAtMs)))
}
