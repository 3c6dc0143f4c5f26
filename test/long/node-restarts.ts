// Restarts two nodes on one real PostgreSQL in turn, again and again under load, behind a balancer that goes round the
// nodes that are ready, as Kubernetes does: a node that is to end leaves the balancer, gets SIGTERM a moment later, and
// has the time of `drain` for what it answers; another process takes its place once `/readyz` says so. Callers ask for
// whole answers, and for streams, some of which last longer than the drain. No request fails; no stream is cut before
// its node has drained for as long as it may, nor without an error event then; each answer has one row, and the exact
// budget can be spent to its end and no further. RESTARTS and SEED by the environment.
import { randomInt } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { startPostgres } from '../support/postgres.ts'
import type { StartedProcess } from '../support/start-process.ts'
import { openBalancer } from '../support/topology/open-balancer.ts'
import { until } from '../support/until.ts'
import { askForStream, type StreamAnswer } from './ask-for-stream.ts'
import { type KeyName, openSlowUpstream } from './killed-gateway.ts'
import { judgeLedger, spendRest, startLoadedNode, untilSettled } from './node-load.ts'
import { watchReadyNodes } from './node-restarts/ready-nodes.ts'

const RESTARTS = Number(process.env['RESTARTS'] ?? 50)
const SEED = Number(process.env['SEED'] ?? randomInt(1_000_000))
const NODES = 2
const CALLERS = 12
const DRAIN_MS = 3_000
const MAX_STREAM_MS = 5_000
const MAX_WHOLE_MS = 2_500
/** The time between the end of new requests and SIGTERM, as `preStop` of a pod has it. */
const LET_GO_MS = 500
/** Clocks of two processes, and the way of an answer to its caller. */
const SLACK_MS = 100
const CUT_WITHIN_MS = 2_000
const STEP_WITHIN_MS = 120_000
/** More than callers ask for meanwhile, and soon spent afterwards. */
const LIMIT = 1_000_000 + RESTARTS * 900_000
const random = createSeededRandom(SEED)

interface Answer extends StreamAnswer {
  readonly key: KeyName
  readonly endedAtMs: number
}

const answers: Answer[] = []
const failures: string[] = []
/** The times of SIGTERM. */
const drains: number[] = []
let isLoaded = true
await using cleanup = new AsyncDisposableStack()
const server = cleanup.use(await startPostgres())
const url = await server.createDatabase()
const pace = { fraction: () => (isLoaded ? random.fraction() : 0) }
const upstream = cleanup.use(await openSlowUpstream(pace, MAX_STREAM_MS, MAX_WHOLE_MS))
const ready = cleanup.use(watchReadyNodes())
const nodes: StartedProcess[] = []
for (let index = 0; index < NODES; index += 1) nodes.push(await startReadyNode())
cleanup.defer(async () => void (await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))))
const balancer = cleanup.use(await openBalancer(ready.urls))

const stop = new AbortController()
const callers = Array.from({ length: CALLERS }, (_, index) => call(index))
const startedAtMs = performance.now()
let slowestMs = 0
for (let restart = 1; restart <= RESTARTS; restart += 1) {
  slowestMs = Math.max(slowestMs, await restartNode((restart - 1) % NODES))
  if (restart % 5 === 0)
    process.stdout.write(`${restart} of ${RESTARTS} restarts, ${answers.length} answers\n`)
}
const tookMs = performance.now() - startedAtMs
stop.abort()
await Promise.all(callers)
const loaded = [...answers]
isLoaded = false
await untilSettled(server, url)
for (const answer of await spendRest(nodes)) answers.push({ ...answer, endedAtMs: performance.now() })
await untilSettled(server, url)
await check()
await cleanup.disposeAsync()
for (const failure of failures.slice(0, 20)) process.stdout.write(`  ${failure}\n`)
if (failures.length > 0) process.exitCode = 1

async function startReadyNode(): Promise<StartedProcess> {
  const more = `drain: ${DRAIN_MS / 1_000}s`
  const node = await startLoadedNode({ url, origin: upstream.origin, limit: LIMIT, more })
  ready.add(node.url)
  const isReady = () => ready.urls.includes(node.url)
  await until('the node is ready', isReady, { deadlineMs: STEP_WITHIN_MS })
  return node
}

/** Gives the time that it took. */
async function restartNode(index: number): Promise<number> {
  const beganAtMs = performance.now()
  const old = nodes[index]
  if (old === undefined) throw new Error(`there is no node ${index}`)
  ready.remove(old.url)
  await wait(LET_GO_MS)
  drains.push(performance.now())
  old.child.kill('SIGTERM')
  const hasEnded = () => old.child.exitCode !== null || old.child.signalCode !== null
  await until('the node has ended', hasEnded, { deadlineMs: STEP_WITHIN_MS })
  if (old.child.exitCode !== 0) failures.push(`a node ended with ${old.child.exitCode}: ${old.errors()}`)
  await old[Symbol.asyncDispose]()
  nodes[index] = await startReadyNode()
  return performance.now() - beganAtMs
}

/** Half of the callers have the exact key, a third ask for whole answers, and half keep their connections open. */
async function call(index: number): Promise<void> {
  const key: KeyName = index % 2 === 0 ? 'exact' : 'free'
  const asks = index % 3 === 0 ? 'whole' : 'stream'
  const agent = new Agent({ keepAlive: index % 4 < 2 })
  while (!stop.signal.aborted) {
    const answer = await askForStream(balancer.url, { key, agent, asks })
    answers.push({ ...answer, key, endedAtMs: performance.now() })
  }
  agent.destroy()
}

/** Whether a node was at the end of its drain. */
function isAtBound(endedAtMs: number): boolean {
  return drains.some((drainedAtMs) => {
    const afterMs = endedAtMs - drainedAtMs - DRAIN_MS
    return afterMs > -SLACK_MS && afterMs < CUT_WITHIN_MS
  })
}

function afterDrain(endedAtMs: number): string {
  const drainedAtMs = drains.findLast((atMs) => atMs < endedAtMs)
  return drainedAtMs === undefined
    ? 'before any drain'
    : `${Math.round(endedAtMs - drainedAtMs)} ms after SIGTERM`
}

async function check(): Promise<void> {
  const { text, faults } = await judgeLedger({ server, url, node: nodes[0], limit: LIMIT }, answers)
  const failed = loaded.filter(({ isBegun }) => !isBegun)
  const ended = loaded.filter(({ isBegun, isWhole }) => isBegun && !isWhole)
  const isInOrder = ({ errorCode, endedAtMs }: Answer) =>
    errorCode === 'shutting_down' && isAtBound(endedAtMs)
  const cut = ended.filter((answer) => !isInOrder(answer))
  process.stdout.write(
    `node restarts (seed ${SEED}, ${NODES} nodes): ${RESTARTS} restarts in ${Math.round(tookMs / 1_000)} s, the slowest ${Math.round(slowestMs / 1_000)} s; ${loaded.length} requests, failed ${failed.length}, streams cut before the end of the drain or without an error event ${cut.length}, ended at its end by one ${ended.length - cut.length}; in all ${text}\n`,
  )
  failures.push(...faults)
  for (const { status, fault } of failed) failures.push(`failed: status ${status}, ${fault}`)
  for (const { fault, errorCode, endedAtMs } of cut)
    failures.push(`cut ${afterDrain(endedAtMs)}: ${fault}, error '${errorCode}'`)
}
