// Kills one of four nodes on a real PostgreSQL, at a random moment under load, and starts another in its place, again
// and again. Callers of the others see nothing of it. In the end each answer of a key under an exact budget has one
// row, attempts that nobody settled have their estimates, the ledger adds up, and the budget can be spent to its end
// and no further. KILLS, NODES and SEED by the environment.
import { randomInt } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { startPostgres } from '../support/postgres.ts'
import { runHeadgate } from '../support/run-headgate.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'
import { untilAsync } from '../support/until.ts'
import { askForStream, type StreamAnswer } from './ask-for-stream.ts'
import { bareId, type KeyName, keys, openSlowUpstream } from './killed-gateway.ts'

const KILLS = Number(process.env['KILLS'] ?? 40)
const NODES = Number(process.env['NODES'] ?? 4)
const SEED = Number(process.env['SEED'] ?? randomInt(1_000_000))
const CALLERS_OF_NODE = 3
const MAX_LIFE_MS = 800
const LIMIT = 60_000_000
/** What is left is less than the least that a request may hold. */
const LEFT = 250_000
/** Others end the epoch of a dead node after 20 s, and estimate what it left open 60 s later. */
const SETTLED_WITHIN_MS = 180_000
const random = createSeededRandom(SEED)
const secrets = {
  HEADGATE_SECRET: 'node-secret-0123456789abcdef',
  HEADGATE_ADMIN_TOKEN: 'admin-token-0123456789abcdef',
}

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
await untilSettled()
await spendRest()
await untilSettled()
await check()
await cleanup.disposeAsync()
for (const failure of failures.slice(0, 20)) process.stdout.write(`  ${failure}\n`)
if (failures.length > 0) process.exitCode = 1

function startNode(): Promise<StartedProcess> {
  const yaml = `log: { level: silent }
keys:
  - { name: exact, secret: ${keys.exact}, budgets: [{ limit_usd: ${LIMIT / 1e9}, window: total, mode: exact }] }
  - { name: free, secret: ${keys.free} }
models: { m: { price: { input: 1, output: 2 } } }
${channelYaml({ name: 'first', format: 'chat', origin: upstream.origin, models: ['m'] })}`
  const environment = { ...secrets, HEADGATE_DATABASE_URL: url }
  return startProcess(yaml, {}, { environment, startsWithinMs: 120_000 })
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

async function count(sql: string): Promise<number> {
  return Number((await server.query(url, sql))[0]?.['count'])
}

async function untilSettled(): Promise<void> {
  const isSettled = async () => (await count('select count(*) from headgate.ledger_intents')) === 0
  await untilAsync('no attempt is open', isSettled, { deadlineMs: SETTLED_WITHIN_MS, everyMs: 500 })
}

/** Asks for answers until every node refuses them. */
async function spendRest(): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  for (let refused = 0; refused < 3 * NODES; ) {
    const asked = await Promise.all(
      nodes.map((node) => askForStream(node.url, { key: 'exact', agent, asks: 'whole' })),
    )
    for (const answer of asked) answers.push({ ...answer, key: 'exact', isOfKilled: false })
    refused = asked.every(({ status }) => status === 429) ? refused + NODES : 0
  }
  agent.destroy()
}

async function check(): Promise<void> {
  const { output, errors, code } = await runHeadgate(['ledger', 'verify'], {
    folder: String(nodes[0]?.folder),
    environment: secrets,
  })
  const rows = await server.query(
    url,
    'select request_id, attempt, state from headgate.ledger_rows where cost > 0',
  )
  const spent = await count(
    "select sum((part->>'amount')::bigint) as count from headgate.ledger_rows, jsonb_array_elements(counted::jsonb) as part",
  )
  const recorded = new Set(rows.map((row) => bareId(String(row['request_id']))))
  const lost = { exact: 0, free: 0 }
  for (const { key, isBegun, requestId } of answers)
    if (isBegun && !recorded.has(bareId(requestId))) lost[key] += 1
  const doubled = rows.length - new Set(rows.map((row) => `${row['request_id']}/${row['attempt']}`)).size
  const others = answers.filter(({ isOfKilled }) => !isOfKilled)
  const cut = others.filter(({ isBegun, isWhole }) => isBegun && !isWhole)
  const failed = others.filter(({ isBegun, status, key }) => !isBegun && (status !== 429 || key === 'free'))
  const estimated = rows.filter(({ state }) => state === 'estimated').length
  process.stdout.write(
    `node kills (seed ${SEED}, ${NODES} nodes): ${KILLS} kills, ${answers.length} requests; of nodes that lived ${others.length}, failed ${failed.length}, cut ${cut.length}; ${rows.length} rows, ${estimated} of them estimates; answers without a row: ${lost.exact} of the exact key, ${lost.free} of the other; doubled ${doubled}; spent ${spent} of ${LIMIT}, overshoot ${Math.max(0, spent - LIMIT)}; ${output.trim()}${errors.trim()}\n`,
  )
  if (lost.exact > 0) failures.push(`${lost.exact} answers of the exact key have no row`)
  if (doubled > 0) failures.push(`${doubled} rows are there twice`)
  if (spent > LIMIT) failures.push(`${spent - LIMIT} nano-dollars over the limit`)
  if (spent < LIMIT - LEFT) failures.push(`${LIMIT - spent} nano-dollars cannot be spent`)
  if (code !== 0) failures.push(`ledger verify: ${output}${errors}`)
  if (cut.length > 0) failures.push(`${cut.length} streams of nodes that lived were cut`)
  for (const { status, fault } of failed.slice(0, 5)) failures.push(`a node that lived: ${status}, ${fault}`)
}
