// Restarts `headgate serve --workers` again and again under load, as an upgrade does: callers of streams and of whole
// answers, short and longer than a restart, on connections that stay open and on one for each request. No request
// fails, no stream is cut, each answer has one row, and the exact budget is not overshot. With UPGRADES=1 each restart
// is one to a version with one more step of the tables. RESTARTS, WORKERS (as `1,2`) and SEED by the environment.
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { listParts } from '../support/list-parts.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'
import { until } from '../support/until.ts'
import { askForStream, type StreamAnswer } from './ask-for-stream.ts'
import {
  bareId,
  countDoubled,
  type KeyName,
  openLedgerFile,
  openSlowUpstream,
  readBilledRows,
  readSpent,
  writeKilledGateway,
} from './killed-gateway.ts'

const RESTARTS = Number(process.env['RESTARTS'] ?? 50)
const WORKERS = (process.env['WORKERS'] ?? '1,2').split(',').map(Number)
const SEED = Number(process.env['SEED'] ?? randomInt(1_000_000))
const areUpgrades = process.env['UPGRADES'] === '1'
const CALLERS = 24
const MAX_STREAM_MS = 4_000
const STEP_WITHIN_MS = 120_000
const LIMIT = 6_000_000_000
const random = createSeededRandom(SEED)

await using upstream = await openSlowUpstream(random, MAX_STREAM_MS)
for (const workers of WORKERS) {
  const failures = await restartUnderLoad(workers)
  for (const failure of failures.slice(0, 20)) process.stdout.write(`  ${failure}\n`)
  if (failures.length > 0) process.exitCode = 1
}

async function restartUnderLoad(workers: number): Promise<readonly string[]> {
  const data = mkdtempSync(join(tmpdir(), 'headgate-restarts-'))
  const gateway = await start(data, workers)
  const stop = new AbortController()
  const answers: StreamAnswer[] = []
  const callers = Array.from({ length: CALLERS }, (_, index) => call(gateway.url, { index, answers, stop }))
  const startedAtMs = performance.now()
  let slowestMs = 0
  for (let restart = 1; restart <= RESTARTS; restart += 1) {
    if (areUpgrades) writeFileSync(upgradesFileOf(data), String(restart))
    slowestMs = Math.max(slowestMs, await restartOnce(gateway, restart))
  }
  const tookMs = performance.now() - startedAtMs
  stop.abort()
  await Promise.all(callers)
  const left = listParts(gateway.child.pid ?? 0)
  await end(gateway)
  const ledger = compareWithLedger(data, answers)
  const upgrades = countUpgrades(data)
  rmSync(data, { recursive: true, force: true })
  const failed = answers.filter(({ isBegun, isWhole }) => !isWhole && !isBegun)
  const cut = answers.filter(({ isBegun, isWhole }) => isBegun && !isWhole)
  process.stdout.write(
    `rolling restarts (seed ${SEED}, ${workers} workers): ${RESTARTS} restarts${areUpgrades ? `, ${upgrades} steps of tables,` : ''} in ${Math.round(tookMs / 1_000)} s, the slowest ${Math.round(slowestMs)} ms; ${answers.length} answers, failed ${failed.length}, cut ${cut.length}; ${ledger.rows} rows, lost ${ledger.lost}, doubled ${ledger.doubled}, overshoot ${ledger.overshoot}; processes at the end ${left.length}\n`,
  )
  return [
    ...(areUpgrades && upgrades !== RESTARTS ? [`${upgrades} steps of tables were taken`] : []),
    ...failed.map(({ status, fault }) => `failed: status ${status}, ${fault}`),
    ...cut.map(({ fault }) => `cut: ${fault}`),
    ...(['lost', 'doubled', 'overshoot'] as const).flatMap((what) =>
      ledger[what] > 0 ? [`${what}: ${ledger[what]}`] : [],
    ),
  ]
}

/** Answers with the time that it took. */
async function restartOnce({ child, errors }: StartedProcess, count: number): Promise<number> {
  const startedAtMs = performance.now()
  child.kill('SIGHUP')
  await until('all processes are replaced', () => errors().split('headgate: restarted: ').length > count, {
    deadlineMs: STEP_WITHIN_MS,
  })
  return performance.now() - startedAtMs
}

function start(data: string, workers: number): Promise<StartedProcess> {
  const yaml = `workers: ${workers}
${writeKilledGateway(upstream.origin, LIMIT / 1e9)}`
  const environment = { HEADGATE_DATA: data, UPGRADES_FILE: upgradesFileOf(data) }
  if (areUpgrades) writeFileSync(upgradesFileOf(data), '0')
  const launcher = areUpgrades ? join(import.meta.dirname, 'upgraded-headgate.ts') : undefined
  return startProcess(yaml, {}, { environment, launcher, startsWithinMs: STEP_WITHIN_MS })
}

function upgradesFileOf(data: string): string {
  return join(data, 'upgrades')
}

function countUpgrades(data: string): number {
  const database = new DatabaseSync(join(data, 'headgate.db'), { readOnly: true })
  const row = database.prepare("select count(*) as count from migrations where name like 'upgrade %'").get()
  database.close()
  return Number(row?.['count'])
}

interface Caller {
  readonly index: number
  readonly answers: StreamAnswer[]
  readonly stop: AbortController
}

/** Half of the callers keep their connection open, and a third ask for whole answers. */
async function call(url: string, { index, answers, stop }: Caller): Promise<void> {
  const key: KeyName = index % 2 === 0 ? 'exact' : 'free'
  const asks = index % 3 === 0 ? 'whole' : 'stream'
  const agent = new Agent({ keepAlive: index % 4 < 2 })
  while (!stop.signal.aborted) answers.push(await askForStream(url, { key, agent, asks }))
  agent.destroy()
}

async function end({ child, ...gateway }: StartedProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
  await gateway[Symbol.asyncDispose]()
}

function compareWithLedger(data: string, answers: readonly StreamAnswer[]) {
  const database = openLedgerFile(data)
  const rows = readBilledRows(database)
  const spent = readSpent(database)
  database.close()
  const recorded = new Set(rows.map(({ id }) => id))
  const lost = answers.filter(({ requestId, isBegun }) => isBegun && !recorded.has(bareId(requestId))).length
  return { rows: rows.length, lost, doubled: countDoubled(rows), overshoot: Math.max(0, spent - LIMIT) }
}
