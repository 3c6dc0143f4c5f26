// The ledger's file cannot be written for 30 s, as another process holds its lock: keys without an exact
// budget are served as before, memory stays flat, keys under an exact budget are refused or wait, and
// afterwards every answer has its row. STALL_SECONDS in the environment changes the span.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { channelYaml } from '../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'

const STALL_MS = Number(process.env['STALL_SECONDS'] ?? 30) * 1_000
const PHASE_MS = 10_000
const FREE_EVERY_MS = 10
const EXACT_EVERY_MS = 250
/** The 99th percentile of the others may grow to this multiple of the time before, or of 5 ms where that was less. */
const MAX_SLOWER = 2
const MAX_MEMORY = 1.15
const keys = { free: 'sk-free-0123456789abcdef', exact: 'sk-exact-0123456789abcdef' } as const

interface Phase {
  readonly name: string
  readonly freeMs: number[]
  readonly failed: string[]
  readonly exact: Map<string, number>
}

const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 }
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }]
const answer = jsonAnswer({ id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices, usage })

await using upstream = await openScriptedUpstream(() => answer)
await using gateway = await startProcess(`log: { level: silent }
keys:
  - { name: free, secret: ${keys.free} }
  - { name: exact, secret: ${keys.exact}, budgets: [{ limit_usd: 5, window: day }] }
models: { m: { price: { input: 1, output: 2 } } }
${channelYaml({ name: 'first', format: 'chat', origin: upstream.origin, models: ['m'] })}`)
const file = join(gateway.folder, 'data', 'ledger.db')
let answers = 0
const failures: string[] = []

await run('warming', PHASE_MS)
const before = await run('before', PHASE_MS)
const memoryBefore = memoryMb()
const other = new DatabaseSync(file)
other.exec('begin immediate')
const during = await run('stalled', STALL_MS)
const memoryDuring = memoryMb()
other.exec('rollback')
other.close()
const after = await run('after', PHASE_MS)
await wait(1_000)
const rows = countRows()

const limitMs = Math.max(5, MAX_SLOWER * p99(before))
const ratio = memoryDuring / memoryBefore
for (const { failed } of [before, during, after]) failures.push(...failed.slice(0, 3))
if (p99(during) > limitMs) failures.push(`keys without an exact budget wait ${p99(during).toFixed(1)} ms`)
if (ratio > MAX_MEMORY) failures.push(`memory grew to ${ratio.toFixed(2)} of before`)
if (rows !== answers) failures.push(`${answers} answers have ${rows} rows`)
if ((after.exact.get('200') ?? 0) === 0) failures.push('the exact key is not served again')
for (const phase of [before, during, after])
  process.stdout.write(
    `${phase.name}: ${phase.freeMs.length} answers of the free key, median ${median(phase.freeMs).toFixed(1)} ms, p99 ${p99(phase).toFixed(1)} ms, failed ${phase.failed.length}; the exact key: ${[...phase.exact].map(([status, count]) => `${status} × ${count}`).join(', ')}\n`,
  )
process.stdout.write(
  `ledger stall: ${STALL_MS / 1_000} s; RSS ${memoryBefore} to ${memoryDuring} MB (ratio ${ratio.toFixed(2)}, limit ${MAX_MEMORY}); ${answers} answers, ${rows} rows; failures ${failures.length}\n`,
)
for (const failure of failures) process.stdout.write(`  ${failure}\n`)
if (failures.length > 0) process.exitCode = 1

async function run(name: string, spanMs: number): Promise<Phase> {
  const phase: Phase = { name, freeMs: [], failed: [], exact: new Map() }
  const asked: Promise<void>[] = []
  const endMs = performance.now() + spanMs
  for (let number = 0; performance.now() < endMs; number += 1) {
    asked.push(askFree(gateway, phase))
    if (number % (EXACT_EVERY_MS / FREE_EVERY_MS) === 0) asked.push(askExact(gateway, phase))
    await wait(FREE_EVERY_MS)
  }
  await Promise.all(asked)
  return phase
}

async function askFree(to: StartedProcess, phase: Phase): Promise<void> {
  const startedAtMs = performance.now()
  const status = await ask(to, keys.free)
  if (status === '200') phase.freeMs.push(performance.now() - startedAtMs)
  else phase.failed.push(`${phase.name}: the free key got ${status}`)
}

async function askExact(to: StartedProcess, phase: Phase): Promise<void> {
  const status = await ask(to, keys.exact)
  phase.exact.set(status, (phase.exact.get(status) ?? 0) + 1)
}

/** The status, with the code of an error. */
async function ask({ url }: StartedProcess, key: string): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  const text = await response.text()
  if (response.status !== 200) return `${response.status} ${/"code":\s*"(\w+)"/.exec(text)?.[1] ?? ''}`.trim()
  answers += 1
  return '200'
}

function countRows(): number {
  const database = new DatabaseSync(file, { readOnly: true })
  const [{ rows = 0 } = {}] = database.prepare('select count(*) as rows from ledger where cost > 0').all()
  database.close()
  return Number(rows)
}

function memoryMb(): number {
  const status = readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
}

function p99({ freeMs }: Phase): number {
  return freeMs.toSorted((left, right) => left - right)[Math.floor(freeMs.length * 0.99)] ?? Number.NaN
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
}
