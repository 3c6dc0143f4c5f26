// Feeds rows to the real writers of one store, and measures its own process: `node feed-rows.ts [DATABASE URL]`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { createLedgerRowId, createRequestId } from '../../../src/kit/random/ids.ts'
import { systemClock } from '../../../src/kit/time/clock.ts'
import { LedgerMaintenance } from '../../../src/metering/ledger/ledger-maintenance.ts'
import { LedgerQueue } from '../../../src/metering/ledger/ledger-queue.ts'
import type { RowFilter } from '../../../src/metering/ledger-reader.ts'
import type { RequestFilter } from '../../../src/request-log/request-log-store.ts'
import { createStoredLog } from '../../../src/request-log/stored-log.ts'
import { createLedgerIntent } from '../../support/ledger-row.ts'
import { createLedgerTraffic } from '../ledger-traffic.ts'
import { createRequestRows } from '../request-traffic.ts'
import { openRowStores } from './open-row-stores.ts'

const RATE = Number(process.env['RATE'] ?? 2_000)
const SECONDS = Number(process.env['SECONDS'] ?? 600)
const ROWS = RATE * SECONDS
/** The rows that are there before, so that pages are found among as many with the load as without. */
const BEFORE = 60_000
const FEED_EVERY_MS = 5
const INTENT_EVERY = 4
const PAGE_EVERY_MS = 100
const CALM_PAGES = 200
const LIMIT = 50
const MAX_DELAY_MS = 10
const MAX_SLOWER = 1.2

const requestPages: readonly RequestFilter[] = [
  {},
  { key: 'team-3' },
  { model: 'model-1' },
  { error: 'upstream_timeout' },
]
const ledgerPages: readonly RowFilter[] = [{}, { key: 'key-3' }, { model: 'model-1' }, { state: 'void' }]

const [databaseUrl = ''] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'headgate-rows-'))
const faults: string[] = []
let dropped = 0
const reports = {
  setUp: () => undefined,
  rowRecorded: () => undefined,
  addDropped: (count: number) => {
    dropped += count
  },
  warn: (message: string) => faults.push(message),
}
const stores = await openRowStores(databaseUrl, folder)
const log = createStoredLog({
  openStore: stores.openRequests,
  clock: systemClock,
  policy: { keepMs: 86_400_000, maxRows: 100_000_000 },
  reports,
})
const queue = new LedgerQueue({ store: stores.ledger, clock: systemClock, durability: 'batched', reports })
const maintenance = new LedgerMaintenance({
  store: stores.ledger,
  clock: systemClock,
  policy: { keepMs: undefined, maxBytes: undefined },
  warn: reports.warn,
})
const requestOf = createRequestRows(ROWS + BEFORE)
// All within a day, as the rows of ten minutes are.
const attemptOf = createLedgerTraffic({ size: 90 * (ROWS + BEFORE), shape: 'usual' })
let fed = 0
let refusedIntents = 0

await feed(BEFORE, RATE)
const before = await measureCalm()
const loaded = await measureLoad()
const after = await measureCalm()
maintenance.stop()
await queue.close()
await log.close()
report(await stores.count())
await stores.close()
rmSync(folder, { recursive: true, force: true })
// A thread of a reader may still be there.
process.exit(faults.length > 0 ? 1 : 0)

/** Feeds so many rows evenly, some at each turn of a timer. */
async function feed(count: number, rate: number): Promise<void> {
  const startMs = performance.now()
  for (let done = 0; done < count; ) {
    const due = Math.min(count, Math.floor(((performance.now() - startMs) * rate) / 1_000))
    for (; done < due; done += 1) feedOne()
    await wait(FEED_EVERY_MS)
  }
}

function feedOne(): void {
  const nowMs = Date.now()
  const request = requestOf(fed)
  const attempt = attemptOf(fed)
  const requestId = createRequestId(nowMs)
  const row = {
    ...attempt,
    id: createLedgerRowId(nowMs),
    requestId,
    startedAtMs: nowMs - 500,
    endedAtMs: nowMs,
  }
  fed += 1
  if (fed % INTENT_EVERY === 0) {
    const { id, keyId, keyName, model, channel } = row
    const intent = createLedgerIntent(0, {
      id,
      requestId,
      keyId,
      keyName,
      model,
      channel,
      expiresAtMs: nowMs + 600_000,
    })
    queue.intend(intent).then(
      () => queue.record(row),
      () => {
        refusedIntents += 1
      },
    )
  } else void queue.record(row)
  log.requestEnded({ ...request, requestId, endedAtMs: nowMs })
}

interface Measured {
  readonly delays: Delays
  readonly requests: readonly number[]
  readonly ledger: readonly number[]
}

interface Delays {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

async function measureCalm(): Promise<Measured> {
  return measureWhile(async (page) => {
    for (let pages = 0; pages < CALM_PAGES; pages += 1) {
      await page()
      await wait(PAGE_EVERY_MS)
    }
  })
}

async function measureLoad(): Promise<Measured> {
  return measureWhile(async (page) => {
    let isOver = false
    const feeding = feed(ROWS, RATE).finally(() => {
      isOver = true
    })
    while (!isOver) {
      await page()
      await wait(PAGE_EVERY_MS)
    }
    await feeding
  })
}

/** Finds pages of both by turns, and watches the event loop meanwhile. */
async function measureWhile(work: (page: () => Promise<void>) => Promise<void>): Promise<Measured> {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  const requests: number[] = []
  const ledger: number[] = []
  let turn = 0
  delays.enable()
  await work(async () => {
    const which = turn % requestPages.length
    turn += 1
    const startMs = performance.now()
    await log.page({ ...requestPages[which], limit: LIMIT })
    const betweenMs = performance.now()
    await stores.reader.rows({ ...ledgerPages[which], limit: LIMIT })
    requests.push(betweenMs - startMs)
    ledger.push(performance.now() - betweenMs)
  })
  delays.disable()
  const at = (percentile: number) => delays.percentile(percentile) / 1e6
  return { delays: { p50: at(50), p99: at(99), max: delays.max / 1e6 }, requests, ledger }
}

function report({ requests, attempts }: { readonly requests: number; readonly attempts: number }): void {
  const name = databaseUrl === '' ? 'SQLite' : 'PostgreSQL'
  const lost = 2 * fed - requests - attempts
  process.stdout.write(
    `${name}: ${RATE} rows a second of each for ${SECONDS} s: ${requests} of ${fed} in the request log, ${attempts} of ${fed} in the ledger, dropped ${dropped}, intents refused ${refusedIntents}\n`,
  )
  if (lost !== 0 || dropped > 0) faults.push(`${lost} rows were lost, ${dropped} dropped`)
  for (const [when, { delays }] of Object.entries({ before, loaded, after }))
    process.stdout.write(
      `  event loop ${when}: p50 ${delays.p50.toFixed(1)} ms, p99 ${delays.p99.toFixed(1)} ms, longest ${delays.max.toFixed(0)} ms\n`,
    )
  if (loaded.delays.p99 > MAX_DELAY_MS)
    faults.push(`the p99 of the delay is ${loaded.delays.p99.toFixed(1)} ms`)
  for (const what of ['requests', 'ledger'] as const) {
    const [first, with_, last] = [before, loaded, after].map((measured) => at(measured[what], 0.5))
    const [, slow] = [before, loaded].map((measured) => at(measured[what], 0.95))
    process.stdout.write(
      `  a page of the ${what}: p50 ${first?.toFixed(1)} ms before, ${with_?.toFixed(1)} ms with the load (p95 ${slow?.toFixed(1)} ms), ${last?.toFixed(1)} ms after\n`,
    )
    if (Number(with_) > MAX_SLOWER * Math.max(Number(first), Number(last)))
      faults.push(
        `pages of the ${what} take ${(Number(with_) / Math.max(Number(first), Number(last))).toFixed(2)} times as long`,
      )
  }
  for (const fault of faults.slice(0, 20)) process.stdout.write(`  ${fault}\n`)
}

function at(of: readonly number[], share: number): number {
  return of.toSorted((a, b) => a - b)[Math.floor(of.length * share)] ?? 0
}
