// Measures the console on a large installation: FOLDER names a data folder that fill-folder.ts filled. ROUNDS in the
// environment changes how often each page is opened.
import { openModelUpstream } from '../../support/console/model-upstream.ts'
import { openConsole } from '../support/open-console.ts'
import { measurePages } from './measure-pages.ts'
import { measureFilters, measureLive } from './measure-requests.ts'
import { serveLarge } from './serve-large.ts'

const MAX_COLD_MS = 1_000
const MAX_WARM_MS = 200
const MAX_FILTER_MS = 300
const FOLLOW_MS = 20_000
const SLOW_CALL_MS = 100

const folder = process.env['FOLDER']
if (folder === undefined) throw new Error('FOLDER names no data folder')
const rounds = Number(process.env['ROUNDS'] ?? 5)

await using upstream = await openModelUpstream()
await using gateway = await serveLarge(folder, upstream.origin)
await using inBrowser = await openConsole(gateway)
let isGood = true
for (const { path, cold, warm, processor, calls } of await measurePages(inBrowser, rounds)) {
  judge(
    `${path}: cold ${write(cold)}, of processor time ${write(processor)}`,
    shareOf(cold, 0.95) <= MAX_COLD_MS,
  )
  judge(`${path}: warm ${write(warm)}`, shareOf(warm, 0.95) <= MAX_WARM_MS)
  for (const [call, duration] of calls)
    if (duration > SLOW_CALL_MS) process.stdout.write(`       ${duration.toFixed(0)} ms ${call}\n`)
}
const visited = await inBrowser.visit({ name: 'olga' })
for (const { query, times } of await measureFilters(visited, rounds))
  judge(`filter ${query}: ${write(times)}`, shareOf(times, 0.95) <= MAX_FILTER_MS)
const { longTasks, rowsShown } = await measureLive(visited, FOLLOW_MS)
const longest = Math.max(0, ...longTasks).toFixed(0)
judge(
  `live at 500 requests a second for ${FOLLOW_MS / 1_000} s: ${longTasks.length} tasks of more than 50 ms, the longest ${longest} ms`,
  longTasks.length === 0 && rowsShown > 0,
)
process.exitCode = isGood ? 0 : 1

function judge(what: string, isMet: boolean): void {
  isGood &&= isMet
  process.stdout.write(`  ${isMet ? 'ok  ' : 'MISS'} ${what}\n`)
}

function shareOf(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? 0
}

function write(times: readonly number[]): string {
  return `p50 ${shareOf(times, 0.5).toFixed(0)} ms, p95 ${shareOf(times, 0.95).toFixed(0)} ms`
}
