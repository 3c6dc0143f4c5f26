// Fills a ledger with 10 million rows of 90 days and asks it for every report by two dimensions over a month,
// as a whole, by days and by hours, three times over, for what each key has left, for pages of rows, for an
// export of all and for its own check. SIZE in the environment changes their number, SHAPE=even makes them as
// hard as can be, FOLDER names a folder that stays, and is not filled again when it has a ledger already.
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RowFilter } from '../../src/metering/ledger-reader.ts'
import type { UsageDimension, UsageQuery } from '../../src/metering/usage-query.ts'
import { type OpenLedger, openLedger } from '../../src/storage/ledger/open-ledger.ts'
import { createLedgerReader, type OpenLedgerReader } from '../../src/storage/ledger/open-ledger-reader.ts'
import { batchOf } from '../support/ledger-row.ts'
import { createLedgerTraffic, TRAFFIC_DAYS, TRAFFIC_START_MS } from './ledger-traffic.ts'
import { askRemainingBudgets } from './remaining-budgets.ts'

const SIZE = Number(process.env['SIZE'] ?? 10_000_000)
const SHAPE = process.env['SHAPE'] === 'even' ? 'even' : 'usual'
const BATCH_ROWS = 5_000
const DAY_MS = 86_400_000
const END_MS = TRAFFIC_START_MS + TRAFFIC_DAYS * DAY_MS
const monthSinceMs = Date.UTC(2026, 9, 1)
const monthUntilMs = Date.UTC(2026, 10, 1)
/** The most time that each may take. */
const MAX_BY_DAY_MS = 200
const MAX_BY_HOUR_MS = 1_000
const MAX_PAGE_MS = 1_000
const MAX_REMAINING_MS = 1
const SLOWEST_NAMED = 5
const KEYS = 1_000
const MIN_ROWS_A_SECOND = 200_000
const MAX_GROWTH_BYTES = 100 * 1024 ** 2
/** Every round asks for the same reports. The memory that they need is allocated after the second. */
const ROUNDS = 3
const MAX_GROWTH_OF_LAST_ROUND = 1.05
const SAMPLE_EVERY_MS = 10

const subjects: readonly UsageDimension[] = [
  'key',
  'user',
  'group',
  'model',
  'upstream_model',
  'channel',
  'tag:team',
]
const pages: readonly (readonly [string, RowFilter])[] = [
  ['all rows', {}],
  ['a busy key', { key: 'key-0' }],
  ['a quiet key', { key: 'key_999' }],
  ['no such key', { key: 'nobody' }],
  ['a model', { model: 'model-49' }],
  ['a channel', { channel: 'channel-3' }],
  ['failed ones', { state: 'void' }],
  ['a quiet key and failed ones', { key: 'key-990', state: 'void' }],
  ['a day', { sinceMs: monthSinceMs, untilMs: monthSinceMs + DAY_MS }],
  ['a key on a day', { key: 'key-500', sinceMs: monthSinceMs, untilMs: monthSinceMs + DAY_MS }],
]

const base = {
  sinceMs: monthSinceMs,
  untilMs: monthUntilMs,
  timeZone: 'UTC',
  filter: {},
  order: 'name',
  limit: 1_000,
} as const

const storedFolder = process.env['FOLDER']
const folder = storedFolder ?? mkdtempSync(join(tmpdir(), 'headgate-ledger-'))
let isGood = true
try {
  if (!existsSync(join(folder, 'ledger.db'))) await fill()
  await withReader(measure)
} finally {
  if (storedFolder === undefined) rmSync(folder, { recursive: true, force: true })
}
process.exitCode = isGood ? 0 : 1

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Prints a figure, and whether it is as good as it should be. */
function judge(what: string, isMet: boolean): void {
  isGood &&= isMet
  print(`  ${isMet ? 'ok  ' : 'MISS'} ${what}`)
}

function failHard(reason: string): never {
  throw new Error(reason)
}

async function fill(): Promise<void> {
  const rowOf = createLedgerTraffic({ size: SIZE, shape: SHAPE })
  const ledger = await openLedger({ dataFolder: folder, onDiskFault: failHard })
  const startedMs = performance.now()
  let longestMs = 0
  for (let start = 0; start < SIZE; start += BATCH_ROWS) {
    const rows = Array.from({ length: Math.min(BATCH_ROWS, SIZE - start) }, (_row, offset) =>
      rowOf(start + offset),
    )
    await ledger.commit(batchOf({ rows }))
    const lastMs = rows.at(-1)?.endedAtMs ?? 0
    for (let hasMore = true; hasMore; ) {
      const stepMs = performance.now()
      hasMore = (await ledger.maintain(retentionAt(lastMs))).hasMore
      longestMs = Math.max(longestMs, performance.now() - stepMs)
    }
  }
  while ((await ledger.maintain(retentionAt(END_MS + DAY_MS))).hasMore);
  const seconds = (performance.now() - startedMs) / 1_000
  await ledger.close()
  const bytes = statSync(join(folder, 'ledger.db')).size
  print(
    `ledger (${SHAPE}): ${SIZE} rows in ${seconds.toFixed(0)} s, ${((seconds * 1e6) / SIZE).toFixed(1)} µs a row, ${(bytes / SIZE).toFixed(0)} bytes a row; the longest step of moving sums into blocks took ${longestMs.toFixed(0)} ms`,
  )
}

function retentionAt(nowMs: number) {
  return { nowMs, keepMs: undefined, maxBytes: undefined }
}

async function withReader(
  work: (reader: OpenLedgerReader, ledger: OpenLedger) => Promise<void>,
): Promise<void> {
  const ledger = await openLedger({ dataFolder: folder, onDiskFault: failHard })
  const reader = createLedgerReader(folder)
  try {
    await work(reader, ledger)
  } finally {
    await reader.close()
    await ledger.close()
  }
}

async function measure(reader: OpenLedgerReader, ledger: OpenLedger): Promise<void> {
  const beforeBytes = process.memoryUsage.rss()
  await measureStart(reader)
  await measureRounds(reader)
  await measureRemaining(reader, ledger)
  printMemory('after all reports', beforeBytes)
  await measurePages(reader)
  await measureExport(reader)
  printMemory('after the exports', beforeBytes)
  await measureCheck(reader)
  printMemory('after the check', beforeBytes)
}

function printMemory(when: string, beforeBytes: number): void {
  const bytes = process.memoryUsage.rss()
  const peak = process.resourceUsage().maxRSS * 1_024
  print(
    `       memory ${when}: ${megabytes(bytes)} MB, at the most ${megabytes(peak)} MB, before the first report ${megabytes(beforeBytes)} MB`,
  )
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}

async function time<Result>(work: () => Promise<Result>): Promise<readonly [number, Result]> {
  const startedMs = performance.now()
  const result = await work()
  return [performance.now() - startedMs, result]
}

/** A process reads ahead when it starts, before anyone can ask for a report. */
async function measureStart(reader: OpenLedgerReader): Promise<void> {
  const [startMs] = await time(() => reader.readAhead())
  print(`       the start of the thread that reports, and what it reads ahead: ${startMs.toFixed(0)} ms`)
  const [firstMs] = await time(() => reader.usage({ ...base, by: ['key', 'model'] }))
  judge(
    `usage by key and model over a month, the first report: ${firstMs.toFixed(0)} ms`,
    firstMs <= MAX_BY_DAY_MS,
  )
}

/** The same reports again and again: the memory of the whole process may not grow with their number. */
async function measureRounds(reader: OpenLedgerReader): Promise<void> {
  const peaks: number[] = []
  for (let round = 1; round <= ROUNDS; round += 1) {
    print(`     round ${round}`)
    peaks.push(await findPeak(() => measureUsage(reader)))
  }
  const [last = 0, before = 0] = peaks.toReversed()
  judge(
    `memory at most in each round of reports: ${peaks.map(megabytes).join(', ')} MB; the last ${(last / before).toFixed(3)} times the one before`,
    last <= before * MAX_GROWTH_OF_LAST_ROUND,
  )
}

/** The most memory of the process meanwhile. The reports are made in another thread, so that this one can look. */
async function findPeak(work: () => Promise<void>): Promise<number> {
  let peak = 0
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, SAMPLE_EVERY_MS)
  await work()
  clearInterval(sampling)
  return peak
}

async function measureUsage(reader: OpenLedgerReader): Promise<void> {
  const pairs = subjects.flatMap((one, index) =>
    subjects.slice(index + 1).map((other) => [one, other] as const),
  )
  const groups: readonly (readonly UsageDimension[])[] = [...pairs, ...subjects.map((one) => [one] as const)]
  const byDay = groups.map((by) => [...by, 'day'] as const)
  const byHour = groups.map((by) => [...by, 'hour'] as const)
  await measureGroup(reader, { what: 'by two dimensions', list: pairs, maxMs: MAX_BY_DAY_MS })
  await measureGroup(reader, { what: 'by dimensions and days', list: byDay, maxMs: MAX_BY_DAY_MS })
  await measureGroup(reader, { what: 'by dimensions and hours', list: byHour, maxMs: MAX_BY_HOUR_MS })
  const elsewhere = { timeZone: 'Asia/Kathmandu', order: 'cost' } as const
  await measureGroup(reader, {
    what: 'by days of another time zone, the dearest first',
    list: subjects.map((one) => [one, 'day'] as const),
    maxMs: MAX_BY_DAY_MS,
    more: elsewhere,
  })
  const [monthMs] = await time(() => reader.usage({ ...base, by: [], filter: { key: 'key_77' } }))
  judge(`what one key spent in a month: ${monthMs.toFixed(1)} ms`, monthMs <= MAX_BY_DAY_MS)
}

/** What the budget of the busiest key has used must be what the ledger's sums say of its day. */
async function measureRemaining(reader: OpenLedgerReader, ledger: OpenLedger): Promise<void> {
  const nowMs = END_MS - 1
  const { counters } = await ledger.load(nowMs)
  const answers = askRemainingBudgets(counters, { keys: KEYS, nowMs })
  const sorted = answers.map(({ elapsedMs }) => elapsedMs).toSorted((a, b) => a - b)
  const [median = 0, high = 0, slowest = 0] = [0.5, 0.99, 1].map(
    (share) => sorted[Math.ceil(share * sorted.length) - 1],
  )
  const day = { sinceMs: END_MS - DAY_MS, untilMs: END_MS }
  const { totals } = await reader.usage({ ...base, ...day, by: [], filter: { key: 'key_0' } })
  judge(
    `what a key has left, of ${answers.length} keys: median ${median.toFixed(3)} ms, 99 of 100 within ${high.toFixed(3)} ms, slowest ${slowest.toFixed(3)} ms`,
    high <= MAX_REMAINING_MS && answers[0]?.used === Number(totals.charged),
  )
}

interface Group {
  readonly what: string
  readonly list: readonly (readonly UsageDimension[])[]
  readonly maxMs: number
  readonly more?: Partial<UsageQuery>
}

async function measureGroup(reader: OpenLedgerReader, { what, list, maxMs, more }: Group): Promise<void> {
  const measured: { readonly by: string; readonly elapsedMs: number }[] = []
  for (const by of list) {
    const [elapsedMs] = await time(() => reader.usage({ ...base, ...more, by }))
    measured.push({ by: by.join(','), elapsedMs })
  }
  const sorted = measured.toSorted((a, b) => b.elapsedMs - a.elapsedMs)
  const [slowest] = sorted
  const median = sorted[Math.floor(sorted.length / 2)]
  judge(
    `usage ${what}: ${list.length} reports, median ${median?.elapsedMs.toFixed(0)} ms, slowest ${slowest?.elapsedMs.toFixed(0)} ms`,
    (slowest?.elapsedMs ?? 0) <= maxMs,
  )
  const named = sorted.slice(0, SLOWEST_NAMED).map(({ by, elapsedMs }) => `${by} ${elapsedMs.toFixed(0)} ms`)
  print(`       slowest: ${named.join('; ')}`)
}

async function measurePages(reader: OpenLedgerReader): Promise<void> {
  for (const [what, filter] of pages) {
    const [elapsedMs, { rows }] = await time(() => reader.rows({ ...filter, limit: 50 }))
    judge(
      `a page of ${what}: ${elapsedMs.toFixed(0)} ms, ${rows.length} rows`,
      elapsedMs <= MAX_PAGE_MS * 1.2,
    )
  }
  const [newest] = (await reader.rows({ limit: 1 })).rows
  const [elapsedMs] = await time(() => reader.rowsOf(newest?.row.requestId ?? ''))
  judge(`the rows of a request: ${elapsedMs.toFixed(1)} ms`, elapsedMs <= 50)
}

async function measureExport(reader: OpenLedgerReader): Promise<void> {
  for (const format of ['csv', 'jsonl'] as const) {
    let [bytes, lines, peak] = [0, 0, 0]
    const before = process.memoryUsage.rss()
    const beforeCpu = process.cpuUsage()
    const [elapsedMs] = await time(async () => {
      for await (const chunk of reader.export({ format })) {
        bytes += chunk.length
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1
        peak = Math.max(peak, process.memoryUsage.rss() - before)
      }
    })
    const rows = lines - (format === 'csv' ? 1 : 0)
    const perSecond = rows / (elapsedMs / 1_000)
    const { user, system } = process.cpuUsage(beforeCpu)
    const ofProcessor = (user + system) / rows
    const isFast = format === 'jsonl' || perSecond >= MIN_ROWS_A_SECOND
    judge(
      `export as ${format}: ${rows} rows, ${Math.round(perSecond)} a second, ${ofProcessor.toFixed(2)} µs of processor time a row, ${(bytes / 1e9).toFixed(2)} GB, memory +${(peak / 1e6).toFixed(0)} MB`,
      rows === SIZE && isFast && peak <= MAX_GROWTH_BYTES,
    )
  }
}

async function measureCheck(reader: OpenLedgerReader): Promise<void> {
  const [elapsedMs, check] = await time(() => reader.verify(END_MS))
  judge(
    `check: ${check.rows} rows and ${check.windows} windows in ${(elapsedMs / 1_000).toFixed(0)} s, ${check.differenceCount} differences`,
    check.rows === SIZE && check.differenceCount === 0,
  )
  for (const difference of check.differences.slice(0, 10)) print(`       ${difference}`)
}
