// Kills one of four nodes on a real PostgreSQL, at a random moment under load, and starts another in its place, again
// and again. Callers of the others see nothing of it. In the end each answer of a key under an exact budget has one
// row, attempts that nobody settled have their estimates, the ledger adds up, and the budget can be spent to its end
// and no further. KILLS, NODES and SEED by the environment.
import { randomInt } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { startPostgres } from '../support/postgres.ts'
import type { StartedProcess } from '../support/start-process.ts'
import { askForStream, type StreamAnswer } from './ask-for-stream.ts'
import { type KeyName, openSlowUpstream } from './killed-gateway.ts'
import { judgeLedger, spendRest, startLoadedNode, untilSettled } from './node-load.ts'

const KILLS = Number(process.env['KILLS'] ?? 40)
const NODES = Number(process.env['NODES'] ?? 4)
const SEED = Number(process.env['SEED'] ?? randomInt(1_000_000))
const CALLERS_OF_NODE = 3
const MAX_LIFE_MS = 800
const LIMIT = 60_000_000
const random = createSeededRandom(SEED)
interface Answer extends StreamAnswer {
  readonly key: KeyName
  /** Whether the node that was asked was killed before the answer ended. */
  readonly isOfKilled: boolean
}

const answers: Answer[] = []
const failures: string[] = []
await using cleanup = new AsyncDisposableStack()
const server = cleanup.use(await startPostgres())
const url = await server.createDatabase()
const upstream = cleanup.use(await openSlowUpstream(random, 60))
const nodes: StartedProcess[] = []
for (let index = 0; index < NODES; index += 1) nodes.push(await startNode())
cleanup.defer(async () => void (await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))))

const stop = new AbortController()
const callers = nodes.flatMap((_, node) =>
  Array.from({ length: CALLERS_OF_NODE }, (_, caller) => call(node, caller === 0 ? 'free' : 'exact')),
)
for (let kill = 1; kill <= KILLS; kill += 1) await killOne(kill)
stop.abort()
await Promise.all(callers)
await untilSettled(server, url)
for (const answer of await spendRest(nodes)) answers.push({ ...answer, isOfKilled: false })
await untilSettled(server, url)
await check()
await cleanup.disposeAsync()
for (const failure of failures.slice(0, 20)) process.stdout.write(`  ${failure}\n`)
if (failures.length > 0) process.exitCode = 1

function startNode(): Promise<StartedProcess> {
  return startLoadedNode({ url, origin: upstream.origin, limit: LIMIT })
}

async function killOne(kill: number): Promise<void> {
  await wait(100 + Math.floor(random.fraction() * MAX_LIFE_MS))
  const index = Math.floor(random.fraction() * NODES)
  const killed = nodes[index]
  killed?.child.kill('SIGKILL')
  const next = await startNode()
  nodes[index] = next
  await killed?.[Symbol.asyncDispose]()
  if (kill % 10 === 0) process.stdout.write(`${kill} of ${KILLS} kills, ${answers.length} answers\n`)
}

async function call(node: number, key: KeyName): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  while (!stop.signal.aborted) {
    const asked = nodes[node]
    const answer = await askForStream(String(asked?.url), { key, agent })
    const isOfKilled = asked?.child.signalCode !== null || asked?.child.killed === true
    answers.push({ ...answer, key, isOfKilled })
    if (!answer.isWhole) await wait(50)
  }
  agent.destroy()
}

async function check(): Promise<void> {
  const judged = { server, url, node: nodes[0], limit: LIMIT, mayLack: 'free' } as const
  const { text, faults } = await judgeLedger(judged, answers)
  const others = answers.filter(({ isOfKilled }) => !isOfKilled)
  const cut = others.filter(({ isBegun, isWhole }) => isBegun && !isWhole)
  const failed = others.filter(({ isBegun, status, key }) => !isBegun && (status !== 429 || key === 'free'))
  process.stdout.write(
    `node kills (seed ${SEED}, ${NODES} nodes): ${KILLS} kills; of nodes that lived ${others.length} requests, failed ${failed.length}, cut ${cut.length}; in all ${text}\n`,
  )
  failures.push(...faults)
  if (cut.length > 0) failures.push(`${cut.length} streams of nodes that lived were cut`)
  for (const { status, fault } of failed.slice(0, 5)) failures.push(`a node that lived: ${status}, ${fault}`)
}
