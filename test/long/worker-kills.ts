// Kills the owner, a worker or the supervisor of `headgate serve --workers` at random moments under load. Shows what
// callers saw: requests that failed by the part that died, streams of others that were cut, answers without a row. An
// exact budget lasts for all kills, and can then be spent to its end and no further. KILLS, SEED and VICTIM (one of the
// three) by the environment; DEBUG=1 lists what was lost.
import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { listParts } from '../support/list-parts.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'
import { until, untilAsync } from '../support/until.ts'
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

const KILLS = Number(process.env['KILLS'] ?? 40)
const SEED = Number(process.env['SEED'] ?? randomInt(1_000_000))
const VICTIMS = (['owner', 'worker', 'supervisor'] as const).filter((each) =>
  [each, 'all'].includes(process.env['VICTIM'] ?? 'all'),
)
const CALLERS = 8
const WORKERS = 2
const MAX_LIFE_MS = 800
/** What lasts longer than this has stopped. */
const STEP_WITHIN_MS = 120_000
/** More than callers ask for around the kills, so that each finds answers of the exact key; what is left is spent then. */
const LIMIT = 3_000_000 + KILLS * 3_000_000
/** The least that a request may hold, and more. */
const LEFT = 250_000
const random = createSeededRandom(SEED)
type Victim = 'owner' | 'worker' | 'supervisor'

interface Answer {
  readonly key: KeyName
  /** The time at which it ended, since the start of this run. */
  readonly atMs: number
  readonly requestId: string
  /** 0 where no answer came. */
  readonly status: number
  readonly isBegun: boolean
  readonly isWhole: boolean
}

interface SeenAnswer extends Answer {
  readonly victim: Victim
  /** The time from the kill to its end. */
  readonly afterMs: number
}

interface Figures {
  kills: number
  whole: number
  refused: number
  unavailable: number
  unanswered: number
  cut: number
  /** Answers that a caller saw the beginning of, and that have no row. */
  lost: number
  /** The longest from a death until all processes are there and callers are served again. */
  slowestMs: number
  /** The times from each death until the last answer of 503 that followed. */
  readonly unavailableMs: number[]
}

const noFigures = (): Figures => ({
  kills: 0,
  whole: 0,
  refused: 0,
  unavailable: 0,
  unanswered: 0,
  cut: 0,
  lost: 0,
  slowestMs: 0,
  unavailableMs: [],
})
const figures = { owner: noFigures(), worker: noFigures(), supervisor: noFigures() }
const seen: SeenAnswer[] = []
/** The answers after all kills. */
const rest: Answer[] = []
const failures: string[] = []
const data = mkdtempSync(join(tmpdir(), 'headgate-kills-'))
let isLoaded = true
const pace = { fraction: () => (isLoaded ? random.fraction() : 0) }
await using upstream = await openSlowUpstream(pace, 300)

let gateway = await start()
for (let kill = 1; kill <= KILLS; kill += 1) {
  const victim = VICTIMS[(kill - 1) % VICTIMS.length] ?? 'owner'
  await killUnderLoad(victim)
  if (kill % 10 === 0) process.stdout.write(`${kill} of ${KILLS} kills, ${seen.length} answers\n`)
}
isLoaded = false
await spendRest()
await endAll(gateway)
checkLedger()
rmSync(data, { recursive: true, force: true })
for (const failure of failures) process.stdout.write(`  ${failure}\n`)
if (failures.length > 0) process.exitCode = 1

/** One kill with callers before, during and after it. */
async function killUnderLoad(victim: Victim): Promise<void> {
  const stop = new AbortController()
  const answers: Answer[] = []
  const callers = Array.from({ length: CALLERS }, (_, index) =>
    call(gateway.url, { key: index % 2 === 0 ? 'exact' : 'free', answers, signal: stop.signal }),
  )
  await wait(100 + Math.floor(random.fraction() * MAX_LIFE_MS))
  const startedAtMs = performance.now()
  const pid = pidOf(victim)
  process.kill(pid, 'SIGKILL')
  if (victim === 'supervisor') {
    stop.abort()
    await Promise.all(callers)
    await gateway[Symbol.asyncDispose]()
    gateway = await start()
  } else {
    await until(`another ${victim} is there`, () => isReplaced(victim, pid), { deadlineMs: STEP_WITHIN_MS })
    // Keys without an exact budget are served without the owner, so that they do not show that it is there.
    await untilAsync('the owner answers', ownerAnswers, { deadlineMs: STEP_WITHIN_MS })
    await untilServed()
    stop.abort()
    await Promise.all(callers)
  }
  const tookMs = Math.round(performance.now() - startedAtMs)
  figures[victim].slowestMs = Math.max(figures[victim].slowestMs, tookMs)
  record(victim, answers, startedAtMs)
}

function pidOf(victim: Victim): number {
  const supervisor = gateway.child.pid ?? 0
  if (victim === 'supervisor') return supervisor
  const pids = listParts(supervisor).flatMap(({ part, pid }) => (part === victim ? [pid] : []))
  return pids[Math.floor(random.fraction() * pids.length)] ?? 0
}

function isReplaced(victim: Victim, pid: number): boolean {
  const parts = listParts(gateway.child.pid ?? 0)
  const count = victim === 'worker' ? WORKERS : 1
  return parts.filter((each) => each.part === victim && each.pid !== pid).length === count
}

async function ownerAnswers(): Promise<boolean> {
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
  const answer = await fetch(`${gateway.url}/admin/v1/nodes`, { headers }).catch(() => undefined)
  await answer?.arrayBuffer().catch(() => undefined)
  return answer?.ok === true
}

/** Callers have answers again once twenty in a row are good. */
async function untilServed(): Promise<void> {
  const giveUpAtMs = performance.now() + STEP_WITHIN_MS
  for (let good = 0; good < 20; ) {
    if (performance.now() > giveUpAtMs) throw new Error('callers are not served again')
    const { isWhole } = await ask(gateway.url, 'free')
    good = isWhole ? good + 1 : 0
  }
}

/** Attempts that nobody settled hold their part for a minute, and are estimated then. */
async function spendRest(): Promise<void> {
  const ledger = openLedgerFile(data)
  const isSettled = () => ledger.prepare('select 1 from open_intents').get() === undefined
  const spend = async () => {
    for (let refused = 0; refused < 3; ) {
      const answer = await ask(gateway.url, 'exact')
      rest.push(answer)
      refused = answer.status === 429 ? refused + 1 : 0
    }
  }
  await until('no attempt is open', isSettled, { deadlineMs: STEP_WITHIN_MS, everyMs: 500 })
  await Promise.all(Array.from({ length: CALLERS }, spend))
  await until('no attempt is open', isSettled, { deadlineMs: STEP_WITHIN_MS, everyMs: 500 })
  ledger.close()
}

function record(victim: Victim, answers: readonly Answer[], killedAtMs: number): void {
  const one = figures[victim]
  one.kills += 1
  for (const answer of answers) seen.push({ ...answer, victim, afterMs: answer.atMs - killedAtMs })
  let cut = 0
  for (const { status, isBegun, isWhole } of answers) {
    if (isWhole) one.whole += 1
    else if (isBegun) cut += 1
    else if (status === 429) one.refused += 1
    else if (status === 503) one.unavailable += 1
    else if (status === 0 || status === 200) one.unanswered += 1
    else failures.push(`an answer of status ${status} after a kill of the ${victim}`)
  }
  one.cut += cut
  const refusedMs = answers.filter(({ status }) => status === 503).map(({ atMs }) => atMs - killedAtMs)
  one.unavailableMs.push(Math.round(Math.max(0, ...refusedMs)))
  // A worker has at most all callers at the moment; the death of the others cuts no stream.
  if (victim !== 'worker' && cut > 0) failures.push(`the death of the ${victim} cut ${cut} streams`)
  if (victim === 'worker' && cut >= CALLERS) failures.push(`the death of a worker cut all ${cut} streams`)
}

function start(): Promise<StartedProcess> {
  const yaml = `workers: ${WORKERS}
${writeKilledGateway(upstream.origin, LIMIT / 1e9)}`
  const options = { environment: { HEADGATE_DATA: data }, startsWithinMs: STEP_WITHIN_MS }
  return startProcess(yaml, {}, options)
}

interface Caller {
  readonly key: KeyName
  readonly answers: Answer[]
  readonly signal: AbortSignal
}

async function call(url: string, { key, answers, signal }: Caller): Promise<void> {
  while (!signal.aborted) {
    const answer = await ask(url, key)
    answers.push(answer)
    if (!answer.isWhole) await wait(20)
  }
}

async function ask(url: string, key: KeyName): Promise<Answer> {
  let [requestId, status, text] = ['', 0, '']
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      ...streamRequest(key, { connection: 'close' }),
      signal: AbortSignal.timeout(STEP_WITHIN_MS),
    })
    requestId = response.headers.get('x-request-id') ?? ''
    status = response.status
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
  } catch {
    // The process that served it was killed.
  }
  return {
    key,
    atMs: performance.now(),
    requestId,
    status,
    isBegun: isBegun(text),
    isWhole: isWhole(text),
  }
}

async function endAll({ child, ...started }: StartedProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
  await started[Symbol.asyncDispose]()
}

/** Each answer that a caller of the exact key saw the beginning of has one row, and the budget is not overshot. */
function checkLedger(): void {
  const database = openLedgerFile(data)
  const rows = readBilledRows(database)
  const spent = readSpent(database)
  const intents = database.prepare('select lower(hex(request_id)) as id from open_intents').all()
  database.close()
  // An intent is durable, and settled once its process was away for long enough.
  const recorded = new Set([...rows, ...intents].map(({ id }) => String(id)))
  const lost = { exact: 0, free: 0 }
  for (const { requestId, key, isBegun, victim, afterMs } of seen) {
    if (!isBegun || recorded.has(bareId(requestId))) continue
    lost[key] += 1
    figures[victim].lost += 1
    if (process.env['DEBUG'] === '1')
      process.stdout.write(
        `    lost after a kill of the ${victim}: ended ${Math.round(afterMs)} ms after it\n`,
      )
  }
  const lostOfRest = rest.filter(
    ({ requestId, isBegun }) => isBegun && !recorded.has(bareId(requestId)),
  ).length
  if (lostOfRest > 0) failures.push(`${lostOfRest} answers of the exact key after the kills have no row`)
  const doubled = countDoubled(rows)
  if (spent < LIMIT - LEFT) failures.push(`${LIMIT - spent} nano-dollars cannot be spent`)
  const over = Math.max(0, spent - LIMIT)
  if (lost.exact > 0) failures.push(`${lost.exact} answers of the exact key have no row`)
  if (doubled > 0) failures.push(`${doubled} rows are there twice`)
  if (over > 0) failures.push(`${over} nano-dollars over the limit`)
  for (const [victim, { unavailableMs, ...one }] of Object.entries(figures)) {
    const sorted = unavailableMs.toSorted((a, b) => a - b)
    const [medianMs, longestMs] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
    process.stdout.write(
      `  ${victim}: ${JSON.stringify({ ...one, until503Ms: { median: medianMs, longest: longestMs } })}\n`,
    )
  }
  process.stdout.write(
    `worker kills (seed ${SEED}): ${KILLS} kills, ${seen.length} answers seen, ${seen.filter(({ key, isBegun }) => key === 'exact' && isBegun).length} of them of the exact key, ${rest.length} after the kills; ${rows.length} rows, ${intents.length} open intents; answers with neither: ${lost.exact} of the exact key, ${lost.free} of the other; rows doubled ${doubled}; spent ${spent} of ${LIMIT}, overshoot ${over}\n`,
  )
}
