// A data folder that an earlier version has written under load is opened by this one: the last version that had one
// process and no PostgreSQL, commit cbfca00f. It is ended by SIGTERM and by SIGKILL in turn, after another load each
// time. This one starts with one process or with two workers; keys, a session, budgets, stored responses, answers for
// idempotency keys, the request log and the ledger are all there, count for count, and `ledger verify` finds no
// difference. EARLIER is the folder of a clone of the earlier commit with its packages; RUNS and SEED by the environment.
import { randomInt } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'
import { until, untilAsync } from '../support/until.ts'
import { askForStream, type StreamAnswer } from './ask-for-stream.ts'
import {
  bareId,
  countDoubled,
  type KeyName,
  keys,
  openLedgerFile,
  openSlowUpstream,
  readBilledRows,
  readSpent,
  streamRequest,
} from './killed-gateway.ts'

const EARLIER = process.env['EARLIER']
const RUNS = Number(process.env['RUNS'] ?? 20)
const SEED = Number(process.env['SEED'] ?? randomInt(1_000_000))
const MAX_CALLERS = 12
const MAX_STREAM_MS = 300
const LEAST_LOAD_MS = 1_000
const MAX_MORE_LOAD_MS = 4_000
const WITHIN_MS = 120_000
const LIMIT = 6_000_000_000
const adminToken = 'admin-token-0123456789abcdef'
const password = 'a long enough password'
/** What a start adds to by itself: steps of tables, what is said of health, the audit, sums of traffic. */
const growing = ['migrations', 'health', 'audit', 'sqlite_sequence', 'traffic', 'traffic_subjects']
const random = createSeededRandom(SEED)
const failures: string[] = []
const readyMs: number[] = []
const sums = { answers: 0, rows: 0, estimated: 0, keys: 0, responses: 0, requests: 0 }

if (EARLIER === undefined) throw new Error('EARLIER names the folder of a clone of the earlier commit')
await using upstream = await openSlowUpstream(random, MAX_STREAM_MS)
for (let run = 0; run < RUNS; run += 1) {
  await openEarlier(run).catch((error: unknown) => void failures.push(`run ${run}: ${String(error)}`))
  if (run % 5 === 4) process.stdout.write(`${run + 1} of ${RUNS} runs\n`)
}
const sorted = readyMs.toSorted((a, b) => a - b).map(Math.round)
process.stdout.write(
  `earlier version (seed ${SEED}): ${RUNS} folders, served after ${sorted[Math.floor(sorted.length / 2)]} ms at the median, ${sorted.at(-1)} ms at the longest; ${sums.answers} answers, ${sums.rows} rows, ${sums.estimated} of them estimates; ${sums.keys} keys, ${sums.responses} stored responses and ${sums.requests} rows of the request log are there; failures ${failures.length}\n`,
)
for (const failure of failures.slice(0, 20)) process.stdout.write(`  ${failure}\n`)
if (failures.length > 0) process.exitCode = 1

/** What the earlier version has said that it stored. */
interface Said {
  readonly answers: StreamAnswer[]
  readonly keys: string[]
  readonly responses: string[]
}

async function openEarlier(run: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-earlier-'))
  try {
    const signal = run % 2 === 0 ? 'SIGTERM' : 'SIGKILL'
    const fail = (text: string) => void failures.push(`run ${run}, ${signal}: ${text}`)
    const { said, cookie } = await fillByEarlier(folder, signal)
    const before = countRows(folder)
    const workers = run % 4 < 2 ? 1 : 2
    const startedAtMs = performance.now()
    const gateway = await start(folder, { workers })
    try {
      await untilAsync('it is ready', async () => (await fetch(`${gateway.url}/readyz`)).status === 200)
      readyMs.push(performance.now() - startedAtMs)
      await compare(folder, { gateway, said, before, signal, fail })
      await useWhatIsThere(gateway, { said, cookie, fail })
    } finally {
      await gateway[Symbol.asyncDispose]()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function fillByEarlier(folder: string, signal: 'SIGTERM' | 'SIGKILL') {
  await using gateway = await start(folder, { launcher: join(String(EARLIER), 'bin', 'headgate.js') })
  const cookie = await becomeOwner(gateway, folder)
  const said: Said = { answers: [], keys: [], responses: [] }
  const stop = new AbortController()
  const count = 2 + Math.floor(random.fraction() * (MAX_CALLERS - 1))
  const callers = Array.from({ length: count }, (_, index) => call(gateway.url, { index, said, stop }))
  callers.push(makeKeys(gateway.url, { said, stop }), storeResponses(gateway.url, { said, stop }))
  await wait(LEAST_LOAD_MS + random.fraction() * MAX_MORE_LOAD_MS)
  gateway.child.kill(signal)
  const hasEnded = () => gateway.child.exitCode !== null || gateway.child.signalCode !== null
  await until('the earlier version has ended', hasEnded, { deadlineMs: WITHIN_MS })
  stop.abort()
  await Promise.all(callers)
  // The earlier version answers before it has stored the response.
  if (signal === 'SIGKILL') said.responses.pop()
  return { said, cookie }
}

function start(
  folder: string,
  { workers, launcher }: { readonly workers?: number; readonly launcher?: string },
): Promise<StartedProcess> {
  const yaml = `log: { level: silent }
${workers === undefined ? '' : `workers: ${workers}\n`}keys:
  - { name: exact, secret: ${keys.exact}, budgets: [{ limit_usd: ${LIMIT / 1e9}, window: total, mode: exact }] }
  - { name: free, secret: ${keys.free} }
models: { m: { price: { input: 1, output: 2 } } }
${channelYaml({ name: 'first', format: 'chat', origin: upstream.origin, models: ['m'] })}`
  const environment = { HEADGATE_ADMIN_TOKEN: adminToken }
  return startProcess(yaml, {}, { folder, launcher, environment, startsWithinMs: WITHIN_MS })
}

/** Answers with the cookie of the session. */
async function becomeOwner({ url }: StartedProcess, folder: string): Promise<string> {
  const secret = readFileSync(join(folder, 'data', 'first-owner'), 'utf8').trim()
  const ask = (path: string, body: object) =>
    fetch(`${url}/admin/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify(body),
    })
  const accepted = await ask('/links/accept', { secret, name: 'olga', password })
  const signedIn = await ask('/sign-in', { name: 'olga', password })
  if (!accepted.ok || !signedIn.ok) throw new Error(`no owner was made: ${await accepted.text()}`)
  return String(signedIn.headers.getSetCookie()[0]?.split(';')[0])
}

interface Caller {
  readonly said: Said
  readonly stop: AbortController
}

async function call(url: string, { index, said, stop }: Caller & { readonly index: number }): Promise<void> {
  const key: KeyName = index % 2 === 0 ? 'exact' : 'free'
  const asks = index % 3 === 0 ? 'whole' : 'stream'
  const agent = new Agent({ keepAlive: true })
  while (!stop.signal.aborted) {
    const answer = await askForStream(url, { key, agent, asks })
    if (answer.isBegun) said.answers.push(answer)
    else await wait(20)
  }
  agent.destroy()
}

async function makeKeys(url: string, { said, stop }: Caller): Promise<void> {
  for (let number = 1; !stop.signal.aborted; number += 1) {
    const secret = await ask(`${url}/admin/v1/keys`, adminToken, { name: `made-${number}` }, 'secret')
    if (secret !== undefined) said.keys.push(secret)
    await wait(50)
  }
}

async function storeResponses(url: string, { said, stop }: Caller): Promise<void> {
  while (!stop.signal.aborted) {
    const id = await ask(`${url}/v1/responses`, keys.free, { model: 'm', input: 'Hi', store: true }, 'id')
    if (id !== undefined) said.responses.push(id)
    else await wait(20)
  }
}

/** One text of an answer; undefined where no whole answer came. */
async function ask(url: string, token: string, body: object, field: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': `k${random.fraction()}`,
      },
      body: JSON.stringify(body),
    })
    const read: Partial<Record<string, unknown>> = JSON.parse(await response.text())
    return typeof read[field] === 'string' ? read[field] : undefined
  } catch {
    // The failure is expected: the process is ended meanwhile.
    return undefined
  }
}

/** The rows of all tables, of a copy, so that the folder stays as it was left. */
function countRows(folder: string): ReadonlyMap<string, number> {
  const copy = mkdtempSync(join(tmpdir(), 'headgate-copy-'))
  cpSync(join(folder, 'data'), copy, { recursive: true })
  const counts = new Map<string, number>()
  for (const file of readdirSync(copy).filter((name) => name.endsWith('.db'))) {
    const database = new DatabaseSync(join(copy, file))
    for (const { name } of database.prepare("select name from sqlite_master where type = 'table'").all())
      counts.set(
        `${file} ${name}`,
        Number(database.prepare(`select count(*) as count from "${name}"`).get()?.['count']),
      )
    database.close()
  }
  rmSync(copy, { recursive: true, force: true })
  return counts
}

interface Compared {
  readonly gateway: StartedProcess
  readonly said: Said
  readonly before: ReadonlyMap<string, number>
  readonly signal: 'SIGTERM' | 'SIGKILL'
  readonly fail: (text: string) => void
}

async function compare(folder: string, { gateway, said, before, signal, fail }: Compared): Promise<void> {
  const verify = async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    return (await fetch(`${gateway.url}/admin/v1/ledger/verify`, { method: 'POST', headers })).text()
  }
  await untilAsync('no attempt is open', async () => (await verify()).includes('"open_intents":0'))
  const verified = await verify()
  if (!verified.includes('"adds_up":true')) fail(`ledger verify: ${verified}`)
  const after = countRows(folder)
  for (const [table, count] of before) {
    const now = after.get(table) ?? 0
    const mayGrow = table.startsWith('ledger.db ') || growing.includes(table.split(' ')[1] ?? '')
    if (table.startsWith('ledger.db ') && table !== 'ledger.db ledger') continue
    if (now < count || (now > count && !mayGrow)) fail(`${table}: ${count} rows before, ${now} after`)
  }
  const atLeast = (table: string, count: number) => {
    if ((before.get(table) ?? 0) < count) fail(`${table}: ${before.get(table)} rows of ${count}`)
  }
  atLeast('headgate.db sessions', 1)
  atLeast('headgate.db keys', said.keys.length)
  atLeast('headgate.db stored_responses', said.responses.length)
  if (signal === 'SIGTERM') atLeast('requests.db requests', said.answers.length + said.responses.length)
  compareLedger(folder, { said, signal, fail })
  sums.estimated += (after.get('ledger.db ledger') ?? 0) - (before.get('ledger.db ledger') ?? 0)
  sums.keys += said.keys.length
  sums.responses += said.responses.length
  sums.requests += after.get('requests.db requests') ?? 0
}

/** A killed process may lose the rows of its last moments. */
function compareLedger(
  folder: string,
  { said, signal, fail }: Pick<Compared, 'said' | 'signal' | 'fail'>,
): void {
  const database = openLedgerFile(join(folder, 'data'))
  const rows = readBilledRows(database)
  const spent = readSpent(database)
  database.close()
  const recorded = new Set(rows.map(({ id }) => id))
  const lost = said.answers.filter(({ requestId }) => !recorded.has(bareId(requestId)))
  const cut = said.answers.filter(({ isWhole }) => !isWhole)
  sums.answers += said.answers.length
  sums.rows += rows.length
  if (signal === 'SIGTERM' && lost.length > 0) fail(`lost ${lost.length} of ${said.answers.length} answers`)
  if (signal === 'SIGTERM' && cut.length > 0) fail(`cut ${cut.length} of ${said.answers.length} answers`)
  if (countDoubled(rows) > 0) fail(`doubled ${countDoubled(rows)} rows`)
  if (spent > LIMIT) fail(`overshoot ${spent - LIMIT}`)
}

interface Used {
  readonly said: Said
  readonly cookie: string
  readonly fail: (text: string) => void
}

async function useWhatIsThere({ url }: StartedProcess, { said, cookie, fail }: Used): Promise<void> {
  const { body } = streamRequest('free', {}, false)
  const useKey = async (secret: string) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const { status } = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    if (status !== 200) fail(`a key is answered by ${status}`)
  }
  const readStored = async (id: string) => {
    const headers = { authorization: `Bearer ${keys.free}` }
    const response = await fetch(`${url}/v1/responses/${id}`, { headers })
    if (!(await response.text()).includes('Hi')) fail(`a stored response is answered by ${response.status}`)
  }
  await Promise.all([...[keys.exact, keys.free, ...said.keys].map(useKey), ...said.responses.map(readStored)])
  const me = await fetch(`${url}/admin/v1/me`, { headers: { cookie } })
  if (!(await me.text()).includes('olga')) fail(`the session is answered by ${me.status}`)
}
