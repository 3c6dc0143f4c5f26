// Four nodes on one real PostgreSQL, each the whole product with a connection pool of its own. (a) Requests at once on
// all nodes against one exact budget: never more are served than fit, and in the end exactly as many. (b) PostgreSQL
// ends as after a crash and comes back under load. (c) A node that is a process of its own is killed. A part that does
// not end within PART_MINUTES is a failure. ROUNDS by the environment, too; HEADGATE_TEST_POSTGRES names the programs
// of another version.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { reasonOf } from '../../src/kit/errors/reason-of.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { startPostgres } from '../support/postgres.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway, testAdminToken, testKey } from '../support/start-gateway.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const PART_MS = Number(process.env['PART_MINUTES'] ?? 10) * 60_000
const NODES = 4
const REQUESTS = 400
const FITTING = 100
/** What an answer of twenty tokens of output costs, in dollars. */
const ANSWER_USD = 0.00004
const secret = 'node-secret-0123456789abcdef'
const usage = { prompt_tokens: 0, completion_tokens: 20, total_tokens: 20 }
const head = { id: 'c1', object: 'chat.completion', created: 1, model: 'm' }
const message = { role: 'assistant', content: 'Hi.' }
const answer = jsonAnswer({ ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage })
const failures: string[] = []
const folders: string[] = []

const server = await startPostgres()
await using upstream = await openScriptedUpstream(() => answer)
const base = `${channelYaml({ name: 'one', format: 'chat', origin: upstream.origin, models: ['m'] })}
admin: { allow_private: true }
models: { m: { price: { input: 0, output: 2 } } }
`
print(`PostgreSQL ${server.version}, ${NODES} nodes`)
await run('budget race', raceBudgets)
await run('restart of PostgreSQL', restartDatabase)
await run('killed node', killNode)
for (const folder of folders) rmSync(folder, { recursive: true, force: true })
for (const failure of failures.slice(0, 20)) print(`  ${failure}`)
print(failures.length === 0 ? 'all parts hold' : `${failures.length} failures`)
// A part that was given up has nodes open, which would keep the process.
await server[Symbol.asyncDispose]()
process.exit(failures.length > 0 ? 1 : 0)

/** Runs a part to its end, or gives it up; the next one has nodes and a database of its own. */
async function run(name: string, part: () => Promise<void>): Promise<void> {
  const startMs = performance.now()
  const limit = new AbortController()
  const late = wait(PART_MS, undefined, { signal: limit.signal }).then(() => {
    throw new Error(`it has not ended within ${PART_MS / 60_000} minutes`)
  })
  try {
    await Promise.race([part(), late])
  } catch (error) {
    failures.push(`${name}: ${reasonOf(error)}`)
  } finally {
    limit.abort()
    late.catch(() => undefined)
  }
  print(`(${name}: ${Math.round((performance.now() - startMs) / 1_000)} s)`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

interface Installation extends AsyncDisposable {
  readonly url: string
  readonly nodes: readonly StartedGateway[]
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-many-'))
  folders.push(folder)
  return folder
}

async function open(yaml: string, count = NODES): Promise<Installation> {
  const url = await server.createDatabase()
  const nodes: StartedGateway[] = []
  for (let index = 0; index < count; index += 1)
    nodes.push(await startGateway(yaml, makeFolder(), { databaseUrl: url, secret }))
  return {
    url,
    nodes,
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node.close(0)))
    },
  }
}

async function call(node: StartedGateway | undefined, key: string): Promise<number> {
  const response = await fetch(`${node?.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', max_tokens: 20, messages: [{ role: 'user', content: '' }] }),
  })
  await response.arrayBuffer()
  return response.status
}

async function raceBudgets(): Promise<void> {
  const key = 'sk-race-0123456789abcdef'
  let overshoot = 0
  let served = 0
  let servedInRace = 0
  for (let round = 1; round <= ROUNDS; round += 1) {
    await using installation = await open(`${base}
keys:
  - { name: racer, secret: ${key}, models: ["*"], budgets: [{ limit_usd: ${FITTING * ANSWER_USD}, window: total, mode: exact, at_limit: refuse }] }
`)
    const { nodes, url } = installation
    let next = 0
    const statuses = await Promise.all(
      Array.from({ length: REQUESTS }, (_, index) => call(nodes[index % NODES], key)),
    )
    const inRace = statuses.filter((status) => status === 200).length
    // A request whose node waits in vain for what another has leased is refused; what is left is served afterwards.
    let ok = inRace
    await until(async () => {
      next += 1
      const status = await call(nodes[next % NODES], key)
      if (status === 200) ok += 1
      return status !== 200 && ok >= FITTING
    })
    servedInRace += inRace
    served += ok
    overshoot += Math.max(0, ok - FITTING)
    const [sums] = await server.query(
      url,
      "select coalesce(sum(cost), 0)::bigint as cost, count(*)::int as rows from headgate.ledger_rows where state = 'settled'",
    )
    if (Number(sums?.['cost']) > FITTING * ANSWER_USD * 1e9) overshoot += 1
    if (ok !== FITTING || Number(sums?.['rows']) !== ok)
      failures.push(`round ${round}: ${ok} served, ${String(sums?.['rows'])} rows, ${FITTING} fit`)
  }
  print(
    `budget race: ${ROUNDS} rounds of ${REQUESTS} requests, ${servedInRace} served at once, ${served} in all, overshoot ${overshoot}`,
  )
}

async function restartDatabase(): Promise<void> {
  await using installation = await open(base, 2)
  const { nodes } = installation
  const key = testKey
  const statuses = new Map<number, number>()
  let isOver = false
  const load = nodes.map(async (node) => {
    while (!isOver) {
      const status = await call(node, key)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  })
  await pauseMs(1_000)
  await server.stop('crash')
  await pauseMs(2_000)
  await server.start()
  const backMs = await until(
    async () => (await createAskAdmin(String(nodes[0]?.url))('GET', '/keys')).status === 200,
  )
  await pauseMs(1_000)
  isOver = true
  await Promise.all(load)
  print(
    `restart of PostgreSQL: statuses ${JSON.stringify([...statuses])}, admin API back after ${Math.round(backMs)} ms`,
  )
  const failed = [...statuses].filter(([status]) => status !== 200)
  if (failed.length > 0) failures.push(`requests failed while PostgreSQL was away: ${JSON.stringify(failed)}`)
}

async function killNode(): Promise<void> {
  await using installation = await open(base, 1)
  const [node] = installation.nodes
  const folder = makeFolder()
  const file = join(folder, 'headgate.yaml')
  const keys = 'keys: [{ name: test, secret: sk-test-0123456789abcdef, models: ["*"] }]'
  writeFileSync(file, `listen: 127.0.0.1:0\ndata: ${join(folder, 'data')}\n${keys}\n${base}`)
  const bin = resolve(import.meta.dirname, '../../bin/headgate.js')
  const child = spawn(process.execPath, [bin, 'serve', '--config', file], {
    stdio: 'ignore',
    env: {
      ...process.env,
      HEADGATE_DATABASE_URL: installation.url,
      HEADGATE_SECRET: secret,
      HEADGATE_ADMIN_TOKEN: testAdminToken,
    },
  })
  const count = async () => {
    const { body } = await createAskAdmin(String(node?.url))('GET', '/nodes')
    return (body as { readonly data: readonly unknown[] }).data.length
  }
  await until(async () => (await count()) === 2)
  child.kill('SIGKILL')
  const goneMs = await until(async () => (await count()) === 1)
  print(`a killed node left the list after ${Math.round(goneMs / 1_000)} s`)
  if (goneMs > 30_000) failures.push('a killed node stays in the list')
}

async function until(isThere: () => Promise<boolean>): Promise<number> {
  const startMs = performance.now()
  while (!(await isThere())) {
    if (performance.now() - startMs > 60_000) throw new Error(`never within a minute: ${isThere.toString()}`)
    await pauseMs(20)
  }
  return performance.now() - startMs
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms))
}
