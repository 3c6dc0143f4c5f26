// 1,000,000 answers of providers, spoilt at random (deep values, wrong types, gaps and repeats in indices, events that
// are missing, double or out of order, bytes cut off), every other one compressed, streamed and whole, through the real
// lanes of six channel formats and six caller formats: no crash, no hang, no fault of our own, and of every answer
// that is no error each word of a text and of a call said exactly once. `SEED=1 CASE=5` shows one case.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type Findings, type Range, runRange } from './answer-fuzz/run-range.ts'

const ANSWERS = Number(process.env['FUZZED_ANSWERS'] ?? 1_000_000)
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const WORKERS = Math.max(1, Number(process.env['FUZZ_WORKERS'] ?? 1))
/** Set in a process that another one started for a part of the cases. */
const PART = process.env['FUZZ_PART']
const ONLY = process.env['CASE']

if (PART !== undefined) await runPart(Number(PART))
else if (ONLY !== undefined) await showCase(Number(ONLY))
else await runAll()

function rangeOf(part: number): Range {
  const borderOf = (at: number) => Math.floor((ANSWERS * at) / WORKERS)
  return { seed: SEED, from: borderOf(part), to: borderOf(part + 1) }
}

async function runPart(part: number): Promise<void> {
  const findings = await runRange(rangeOf(part))
  process.send?.(findings)
  process.disconnect()
}

async function showCase(number: number): Promise<void> {
  const findings = await runRange({ seed: SEED, from: number, to: number + 1 }, ({ sent, received }) =>
    process.stdout.write(`${sent.toString()}\n---\n${received}\n---\n`),
  )
  report([findings], 0)
}

async function runAll(): Promise<void> {
  const startedAtMs = performance.now()
  const parts = Array.from({ length: WORKERS }, (_none, part) => part)
  const all = WORKERS === 1 ? [await runRange(rangeOf(0))] : await Promise.all(parts.map(runElsewhere))
  report(all, (performance.now() - startedAtMs) / 1_000)
}

/** A part in a process of its own; one that ends without findings is a crash. */
async function runElsewhere(part: number): Promise<Findings> {
  const env = { ...process.env, SEED: String(SEED), FUZZ_PART: String(part) }
  const child = fork(import.meta.filename, { env })
  let findings: Findings | undefined
  child.on('message', (message: Findings) => {
    findings = message
  })
  const [code] = await once(child, 'exit')
  const crash = { cases: 0, outcomes: {}, thrown: {}, wrong: 1, cpuSeconds: 0 }
  return findings ?? { ...crash, examples: [`process ${part} ended with code ${String(code)}`] }
}

function report(all: readonly Findings[], seconds: number): void {
  const sumOf = (pick: (findings: Findings) => number) => all.reduce((sum, one) => sum + pick(one), 0)
  const cases = sumOf((one) => one.cases)
  const wrong = sumOf((one) => one.wrong)
  const outcomes = join(all.map((one) => one.outcomes))
  const thrown = join(all.map((one) => one.thrown))
  const counts = [...outcomes].sort().map(([outcome, times]) => `${outcome} × ${times}`)
  const rate = seconds === 0 ? '' : `, ${Math.round(cases / seconds)} a second`
  const throws = [...thrown.values()].reduce((sum, times) => sum + times, 0)
  const cpu = sumOf((one) => one.cpuSeconds).toFixed(1)
  process.stdout.write(
    `fuzzed answers: ${cases} (seed ${SEED})${rate}, CPU ${cpu} s in ${all.length} processes: ${counts.join(', ')}; caught throws ${throws}; wrong ${wrong}\n`,
  )
  for (const [stack, times] of thrown) process.stdout.write(`  thrown ${times} times: ${stack}\n`)
  for (const { examples } of all) for (const example of examples) process.stdout.write(`  ${example}\n`)
  process.exitCode = wrong > 0 ? 1 : 0
}

function join(all: readonly Readonly<Record<string, number>>[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const counts of all)
    for (const [name, times] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + times)
  return sums
}
