// Fills the stored request log with 10 million rows and asks it for pages by every filter. SIZE in the environment
// changes their number; FOLDER names a folder that is kept, and not filled again when it has a log already.
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RequestLogStore, RequestQuery } from '../../src/request-log/request-log-store.ts'
import { openRequestLog } from '../../src/storage/request-log/open-request-log.ts'
import { joinRows } from '../support/join-rows.ts'
import { createRequestTraffic, endOf } from './request-traffic.ts'

const SIZE = Number(process.env['SIZE'] ?? 10_000_000)
const BATCH_ROWS = 4_096
const LIMIT = 50
const MAX_MS = 200

const filters: readonly (readonly [string, Omit<RequestQuery, 'limit'>])[] = [
  ['nothing', {}],
  ['a busy key', { key: 'team-0' }],
  ['a quiet key', { key: 'team-299' }],
  ['a rare key', { key: 'key_rare' }],
  ['no such key', { key: 'nobody' }],
  ['a group', { group: 'group-1' }],
  ['a rare group', { group: 'rare-group' }],
  ['a busy model', { model: 'model-0' }],
  ['a retired model', { model: 'retired' }],
  ['no such model', { model: 'none' }],
  ['a channel', { channel: 'channel-5' }],
  ['an upstream model', { upstreamModel: 'retired-2026-01-01' }],
  ['status 429', { status: [429, 429] }],
  ['status 5xx', { status: [500, 599] }],
  ['no such status', { status: [418, 418] }],
  ['an error', { error: 'upstream_timeout' }],
  ['a rare error', { error: 'upstream_tls' }],
  ['no stream', { isStream: false }],
  ['30 s and slower', { minMs: 30_000 }],
  ['7.9 s and slower', { minMs: 7_900 }],
  ['slower than any', { minMs: 900_000 }],
  ['just slower than any', { minMs: 199_999 }],
  ['key and model', { key: 'team-3', model: 'model-11' }],
  ['key and status', { key: 'team-200', status: [500, 599] }],
  ['key and error that never met', { key: 'team-299', error: 'upstream_tls' }],
  ['rare key and model', { key: 'rare', model: 'model-4' }],
  ['model and channel', { model: 'model-9', channel: 'channel-4' }],
  ['model and status', { model: 'retired', status: [429, 429] }],
  ['channel and error', { channel: 'channel-2', error: 'upstream_tls' }],
  ['channel and slow', { channel: 'channel-5', minMs: 20_000 }],
  ['key and slow', { key: 'team-77', minMs: 25_500 }],
  ['error and time', { error: 'upstream_tls', sinceMs: endOf(SIZE * 0.4), untilMs: endOf(SIZE * 0.6) }],
  ['rare key and time', { key: 'rare', sinceMs: endOf(SIZE * 0.51), untilMs: endOf(SIZE * 0.52) }],
  ['retired model and a late time', { model: 'retired', sinceMs: endOf(SIZE * 0.5) }],
  ['an hour long ago', { sinceMs: endOf(SIZE * 0.1), untilMs: endOf(SIZE * 0.1) + 3_600_000 }],
]
const places = { first: undefined, middle: Math.floor(SIZE / 2), last: Math.floor(SIZE / 1_000) }

const storedFolder = process.env['FOLDER']
const folder = storedFolder ?? mkdtempSync(join(tmpdir(), 'headgate-pages-'))
try {
  if (!existsSync(join(folder, 'requests.db'))) await fill()
  const cold = await withLog(measure)
  const warm = await withLog(async (log) => {
    await measure(log)
    return measure(log)
  })
  report('cold', cold)
  report('warm', warm)
  if ([...cold, ...warm].some(({ elapsedMs }) => elapsedMs > MAX_MS)) process.exitCode = 1
} finally {
  if (storedFolder === undefined) rmSync(folder, { recursive: true, force: true })
}

async function withLog<Result>(work: (log: RequestLogStore) => Promise<Result>): Promise<Result> {
  const log = await openRequestLog(folder)
  try {
    return await work(log)
  } finally {
    await log.close()
  }
}

async function fill(): Promise<void> {
  const rowOf = createRequestTraffic(SIZE)
  const startedMs = performance.now()
  await withLog(async (log) => {
    for (let start = 0; start < SIZE; start += BATCH_ROWS) {
      const count = Math.min(BATCH_ROWS, SIZE - start)
      await log.append(joinRows(Array.from({ length: count }, (_row, offset) => rowOf(start + offset))))
    }
  })
  const bytes = statSync(join(folder, 'requests.db')).size
  const seconds = (performance.now() - startedMs) / 1_000
  process.stdout.write(
    `request log: ${SIZE} rows in ${seconds.toFixed(0)} s, ${(bytes / 1e9).toFixed(2)} GB, ${(bytes / SIZE).toFixed(0)} bytes a row\n`,
  )
}

interface Measured {
  readonly name: string
  readonly elapsedMs: number
  readonly rows: number
}

async function measure(log: RequestLogStore): Promise<readonly Measured[]> {
  const measured: Measured[] = []
  for (const [name, query] of filters) {
    for (const [position, before] of Object.entries(places)) {
      const startedMs = performance.now()
      const { rows } = await log.page({ ...query, before, limit: LIMIT })
      measured.push({
        name: `${name}, ${position} page`,
        elapsedMs: performance.now() - startedMs,
        rows: rows.length,
      })
    }
  }
  return measured
}

function report(state: string, measured: readonly Measured[]): void {
  const slowest = measured.toSorted((a, b) => b.elapsedMs - a.elapsedMs)
  process.stdout.write(
    `request log, ${state}: ${measured.length} pages, at most ${MAX_MS} ms each; slowest:\n`,
  )
  for (const { name, elapsedMs, rows } of slowest.slice(0, 8)) {
    process.stdout.write(`  ${elapsedMs.toFixed(1)} ms  ${name} (${rows} rows)\n`)
  }
}
