// Kills the gateway at random moments under load, and starts it again on the same data folder. What a caller
// of a key under an exact budget saw has a row, no row is there twice, nothing is held or open once it is
// ready, and the budget is not overshot. Of a key without an exact budget, only answers that ended in the last
// 100 ms before a kill have no row. STRICT=1 asks for `ledger.durability: strict`: then every whole
// answer has an exact row. ROWS=1000000 writes as many rows first, and shows how long a start takes with
// them. WORKERS=2 serves by as many workers, and kills them, their owner and the supervisor at once. KILLS and
// SEED by the environment.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { stateCodes } from '../../src/storage/ledger/ledger-tables.ts'
import { openLedger } from '../../src/storage/ledger/open-ledger.ts'
import { batchOf } from '../support/ledger-row.ts'
import { listParts } from '../support/list-parts.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'
import { until } from '../support/until.ts'
import {
  bareId,
  countDoubled,
  isBegun,
  isWhole,
  type KeyName,
  openLedgerFile,
  openSlowUpstream,
  readBilledRows,
  readSpent,
  streamRequest,
  writeKilledGateway,
} from './killed-gateway.ts'
import { createLedgerTraffic } from './ledger-traffic.ts'

const KILLS = Number(process.env['KILLS'] ?? 200)
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const IS_STRICT = process.env['STRICT'] === '1'
const ROWS = Number(process.env['ROWS'] ?? 0)
const WORKERS = Number(process.env['WORKERS'] ?? 0)
const CALLERS = 12
/** The time within which a row without an exact budget is written. */
const WRITTEN_WITHIN_MS = 100
const MAX_LIFE_MS = 600
/** Workers may still settle what they began for a minute after a start; what nobody settles is estimated then. */
const SETTLED_WITHIN_MS = WORKERS === 0 ? 0 : 120_000
const LIMIT = 5_000_000_000
const random = createSeededRandom(SEED)

interface Seen {
  readonly requestId: string
  readonly key: KeyName
  readonly isWhole: boolean
  /** The number of the kill that ended the life of the gateway that answered. */
  readonly kill: number
  readonly endedAtMs: number
}

/** The time of each kill, by its number. */
const killedAtMs = new Map<number, number>()
const seen: Seen[] = []
const failures: string[] = []
let slowestReadyMs = 0
const data = mkdtempSync(join(tmpdir(), 'headgate-crash-'))
await using upstream = await openSlowUpstream(random, 60)
await writeRows()
for (let kill = 1; kill <= KILLS; kill += 1) {
  const startedAtMs = performance.now()
  await using gateway = await start()
  slowestReadyMs = Math.max(slowestReadyMs, performance.now() - startedAtMs)
  const stop = new AbortController()
  const callers = Array.from({ length: CALLERS }, (_, index) =>
    call(gateway, { index, kill, signal: stop.signal }),
  )
  await wait(50 + Math.floor(random.fraction() * MAX_LIFE_MS))
  killedAtMs.set(kill, performance.now())
  killAll(gateway)
  stop.abort()
  await Promise.all(callers)
  if (kill % 20 === 0) process.stdout.write(`${kill} of ${KILLS} kills, ${seen.length} answers seen\n`)
}
await settleAndCheck()
rmSync(data, { recursive: true, force: true })
if (failures.length > 0) process.exitCode = 1

/** The supervisor first, so that it replaces none of the others. */
function killAll({ child }: StartedProcess): void {
  const parts = listParts(child.pid ?? 0)
  child.kill('SIGKILL')
  for (const { pid } of parts) process.kill(pid, 'SIGKILL')
}

function start(): Promise<StartedProcess> {
  const yaml = `${IS_STRICT ? 'ledger: { durability: strict }' : ''}
${WORKERS === 0 ? '' : `workers: ${WORKERS}`}
${writeKilledGateway(upstream.origin, LIMIT / 1e9)}`
  return startProcess(yaml, {}, { environment: { HEADGATE_DATA: data }, startsWithinMs: 120_000 })
}

interface CallerOptions {
  readonly index: number
  readonly kill: number
  readonly signal: AbortSignal
}

async function call({ url }: StartedProcess, { index, kill, signal }: CallerOptions): Promise<void> {
  const key: KeyName = index % 2 === 0 ? 'exact' : 'free'
  while (!signal.aborted) {
    try {
      const response = await fetch(`${url}/v1/chat/completions`, streamRequest(key))
      await read(response, { key, kill })
    } catch {
      // The process was killed.
    }
  }
}

/** An answer is seen from its first content on. */
async function read(response: Response, call: Pick<Seen, 'key' | 'kill'>): Promise<void> {
  const requestId = response.headers.get('x-request-id') ?? ''
  let text = ''
  try {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
  } finally {
    if (isBegun(text)) seen.push({ ...call, requestId, isWhole: isWhole(text), endedAtMs: performance.now() })
  }
}

/** Once more started and ended in good order, the ledger has everything. */
async function settleAndCheck(): Promise<void> {
  const gateway = await start()
  const intents = await countOpenIntents()
  if (intents > 0) failures.push(`${intents} intents are open once it is ready`)
  const ended = new Promise((resolve) => gateway.child.once('exit', resolve))
  gateway.child.kill('SIGTERM')
  await ended
  await gateway[Symbol.asyncDispose]()
  const database = openLedgerFile(data)
  const rows = readBilledRows(database)
  const spent = readSpent(database)
  database.close()
  const recorded = new Set(rows.map(({ id }) => id))
  const doubled = countDoubled(rows)
  const lost = { exact: 0, free: 0 }
  const settled = new Set(rows.flatMap(({ id, state }) => (state === stateCodes.settled ? [id] : [])))
  const estimated = seen.filter(({ requestId, isWhole }) => isWhole && !settled.has(bareId(requestId))).length
  for (const { requestId, key } of seen) if (!recorded.has(bareId(requestId))) lost[key] += 1
  const late = seen.filter((each) => !recorded.has(bareId(each.requestId)) && isOld(each)).length
  if (late > 0)
    failures.push(`${late} answers without a row ended over ${WRITTEN_WITHIN_MS} ms before the kill`)
  if (lost.exact > 0) failures.push(`${lost.exact} answers of the exact key have no row`)
  if (IS_STRICT && lost.free > 0) failures.push(`${lost.free} answers of the other key have no row`)
  if (IS_STRICT && estimated > 0) failures.push(`${estimated} whole answers have no exact row`)
  if (doubled > 0) failures.push(`${doubled} rows are there twice`)
  if (spent > LIMIT) failures.push(`${spent - LIMIT} nano-dollars over the limit`)
  process.stdout.write(
    `ledger crash (seed ${SEED}${IS_STRICT ? ', strict' : ''}${WORKERS === 0 ? '' : `, ${WORKERS} workers`}): ${KILLS} kills, ${seen.length} answers seen (${seen.filter(({ isWhole }) => isWhole).length} whole), ${rows.length} rows; answers without a row: ${lost.exact} of the exact key, ${lost.free} of the other, ${late} of them older than ${WRITTEN_WITHIN_MS} ms; whole answers without an exact row: ${estimated}; rows doubled ${doubled}; intents open when ready ${intents}; overshoot ${Math.max(0, spent - LIMIT)}; slowest start ${slowestReadyMs.toFixed(0)} ms\n`,
  )
  for (const failure of failures) process.stdout.write(`  ${failure}\n`)
}

/** Whether a whole answer ended so long before the kill that its row must be written. */
function isOld({ isWhole, kill, endedAtMs }: Seen): boolean {
  return isWhole && (killedAtMs.get(kill) ?? 0) - endedAtMs > WRITTEN_WITHIN_MS
}

/** The intents that are open once the gateway is ready, or once workers have had the time to settle them. */
async function countOpenIntents(): Promise<number> {
  const database = openLedgerFile(data)
  const count = () =>
    Number(database.prepare('select count(*) as intents from open_intents').get()?.['intents'])
  const deadline = { deadlineMs: SETTLED_WITHIN_MS, everyMs: 500 }
  await until('no intent is open', () => count() === 0, deadline).catch(() => undefined)
  const left = count()
  database.close()
  return left
}

/** Rows of the 90 days before, as a gateway has that was used for long. */
async function writeRows(): Promise<void> {
  if (ROWS === 0) return
  const rowOf = createLedgerTraffic({ size: ROWS, shape: 'usual' })
  const onDiskFault = (reason: string): never => {
    throw new Error(reason)
  }
  const ledger = await openLedger({ dataFolder: data, onDiskFault })
  for (let first = 0; first < ROWS; first += 2_000) {
    const rows = Array.from({ length: Math.min(2_000, ROWS - first) }, (_, index) => rowOf(first + index))
    await ledger.commit(batchOf({ rows }))
  }
  await ledger.close()
}
