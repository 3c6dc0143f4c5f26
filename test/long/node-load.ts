// What the suites share that take something away from nodes on one PostgreSQL: the nodes, those who ask them all the
// time, and what the ledger says in the end.
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { channelYaml } from '../support/channel-yaml.ts'
import type { PostgresServer } from '../support/postgres.ts'
import { runHeadgate } from '../support/run-headgate.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'
import { untilAsync } from '../support/until.ts'
import { askForStream, type StreamAnswer } from './ask-for-stream.ts'
import { bareId, type KeyName, keys } from './killed-gateway.ts'

const PAUSE_MS = 20
const SERVED_AGAIN_WITHIN_MS = 120_000
/** Others end the epoch of a dead node after 20 s, and estimate what it left open 60 s later. */
const SETTLED_WITHIN_MS = 180_000
/** What is left is less than the least that a request may hold, in nano-dollars. */
const LEFT = 250_000
const secrets = {
  HEADGATE_SECRET: 'node-secret-0123456789abcdef',
  HEADGATE_ADMIN_TOKEN: 'admin-token-0123456789abcdef',
}

export interface NodeOptions {
  readonly url: string
  /** The origin of the provider. */
  readonly origin: string
  /** What the exact key may spend, in nano-dollars. */
  readonly limit: number
  /** More lines of the configuration. */
  readonly more?: string
}

/** Starts a node with an exact key and a free one. */
export function startLoadedNode({ url, origin, limit, more = '' }: NodeOptions): Promise<StartedProcess> {
  const yaml = `log: { level: warn }
keys:
  - { name: exact, secret: ${keys.exact}, budgets: [{ limit_usd: ${limit / 1e9}, window: total, mode: exact }] }
  - { name: free, secret: ${keys.free} }
models: { m: { price: { input: 1, output: 2 } } }
${channelYaml({ name: 'first', format: 'chat', origin, models: ['m'] })}
${more}`
  const environment = { ...secrets, HEADGATE_DATABASE_URL: url }
  return startProcess(yaml, {}, { environment, startsWithinMs: 120_000 })
}

export interface NodeAnswer extends StreamAnswer {
  readonly key: KeyName
  readonly node: number
  readonly startedAtMs: number
  readonly endedAtMs: number
}

export interface NodeLoad {
  readonly answers: readonly NodeAnswer[]
  /** Waits for what is in progress. */
  stop(): Promise<void>
  /** The time since then until the exact key, asked after it, is served by a node. */
  servedAgainAfter(node: number, sinceMs: number): Promise<number>
}

/** At each node every third caller has the exact key, and half ask for whole answers. */
export function loadNodes(nodes: readonly StartedProcess[], callersOfNode: number): NodeLoad {
  const answers: NodeAnswer[] = []
  const end = new AbortController()
  async function ask(node: number, key: KeyName, asks: 'whole' | 'stream', agent: Agent) {
    const startedAtMs = performance.now()
    const answer = await askForStream(String(nodes[node]?.url), { key, agent, asks })
    answers.push({ ...answer, key, node, startedAtMs, endedAtMs: performance.now() })
    return answer
  }
  async function call(index: number): Promise<void> {
    const agent = new Agent({ keepAlive: true })
    const ofNode = Math.floor(index / nodes.length)
    const asks = ofNode % 2 === 0 ? 'whole' : 'stream'
    while (!end.signal.aborted) {
      await ask(index % nodes.length, ofNode % 3 === 0 ? 'exact' : 'free', asks, agent)
      await wait(PAUSE_MS)
    }
    agent.destroy()
  }
  const callers = Array.from({ length: nodes.length * callersOfNode }, (_, index) => call(index))
  return {
    answers,
    async stop() {
      end.abort()
      await Promise.all(callers)
    },
    async servedAgainAfter(node, sinceMs) {
      const isFirst = (each: NodeAnswer) =>
        each.node === node && each.key === 'exact' && each.startedAtMs > sinceMs && each.isWhole
      await untilAsync(`node ${node} serves the exact key`, async () => answers.some(isFirst), {
        deadlineMs: SERVED_AGAIN_WITHIN_MS,
      })
      return Math.round((answers.find(isFirst)?.endedAtMs ?? sinceMs) - sinceMs)
    },
  }
}

/** Asks for answers until every node refuses them, since the budget is spent. */
export async function spendRest(
  nodes: readonly StartedProcess[],
): Promise<readonly (StreamAnswer & { readonly key: 'exact' })[]> {
  const agent = new Agent({ keepAlive: true })
  const answers: (StreamAnswer & { readonly key: 'exact' })[] = []
  for (let refusals = 0; refusals < 3; ) {
    const asked = await Promise.all(
      nodes.map((node) => askForStream(node.url, { key: 'exact', agent, asks: 'whole' })),
    )
    for (const answer of asked) answers.push({ ...answer, key: 'exact' })
    refusals = asked.every(({ status }) => status === 429) ? refusals + 1 : 0
  }
  agent.destroy()
  return answers
}

export async function untilSettled(server: PostgresServer, url: string): Promise<void> {
  const isSettled = async () =>
    (await numberOf(server, url, 'select count(*) from headgate.ledger_intents')) === 0
  await untilAsync('no attempt is open', isSettled, { deadlineMs: SETTLED_WITHIN_MS, everyMs: 500 })
}

export interface JudgedLedger {
  readonly server: PostgresServer
  readonly url: string
  readonly node: StartedProcess | undefined
  /** What the exact key could spend, where it has been spent to its end. */
  readonly limit?: number
  /** Whether the free key may lack rows, as where a node was killed. */
  readonly mayLack?: 'free'
}

export interface Verdict {
  readonly text: string
  readonly faults: readonly string[]
}

/** Compares what callers saw with the rows of the ledger, and has the ledger verified. */
export async function judgeLedger(
  { server, url, node, limit, mayLack }: JudgedLedger,
  answers: readonly (StreamAnswer & { readonly key: KeyName })[],
): Promise<Verdict> {
  const { output, errors, code } = await runHeadgate(['ledger', 'verify'], {
    folder: String(node?.folder),
    environment: secrets,
  })
  const all = await server.query(
    url,
    'select request_id, attempt, state, cost, usage from headgate.ledger_rows',
  )
  const rows = all.filter(({ cost }) => Number(cost) > 0)
  const recorded = new Set(rows.map((row) => bareId(String(row['request_id']))))
  const lost = { exact: 0, free: 0 }
  const details: string[] = []
  for (const answer of answers) {
    if (!answer.isBegun || recorded.has(bareId(answer.requestId))) continue
    lost[answer.key] += 1
    const found = all.filter((row) => bareId(String(row['request_id'])) === bareId(answer.requestId))
    if (mayLack !== answer.key)
      details.push(`no row that costs anything: ${JSON.stringify(answer)}, but ${JSON.stringify(found)}`)
  }
  const estimated = rows.filter(({ state }) => state === 'estimated').length
  const doubled = rows.length - new Set(rows.map((row) => `${row['request_id']}/${row['attempt']}`)).size
  const spent = await numberOf(
    server,
    url,
    "select sum((part->>'amount')::bigint) from headgate.ledger_rows, jsonb_array_elements(counted::jsonb) as part",
  )
  const ofBudget =
    limit === undefined ? '' : `spent ${spent} of ${limit}, overshoot ${Math.max(0, spent - limit)}; `
  const said = `${output.trim()}${errors.trim()}`
  return {
    text: `${answers.length} requests, ${rows.length} rows, ${estimated} of them estimates; answers without a row: ${lost.exact} of the exact key, ${lost.free} of the other; doubled ${doubled}; ${ofBudget}${said}`,
    faults: [
      ...(lost.exact > 0 ? [`${lost.exact} answers of the exact key have no row`] : []),
      ...(lost.free > 0 && mayLack !== 'free' ? [`${lost.free} answers of the free key have no row`] : []),
      ...(doubled > 0 ? [`${doubled} rows are there twice`] : []),
      ...(limit !== undefined && spent > limit ? [`${spent - limit} nano-dollars over the limit`] : []),
      ...(limit !== undefined && spent < limit - LEFT
        ? [`${limit - spent} nano-dollars cannot be spent`]
        : []),
      ...details.slice(0, 3),
      ...(code === 0 ? [] : [`ledger verify: ${said}`]),
    ],
  }
}

async function numberOf(server: PostgresServer, url: string, sql: string): Promise<number> {
  const [row = {}] = await server.query(url, sql)
  return Number(Object.values(row)[0])
}
