import { type CaseResult, type Patience, runCase } from './run-case.ts'

export interface Range {
  readonly seed: number
  readonly from: number
  readonly to: number
}

/** The result of many cases, small enough to go from one process to another. */
export interface Findings {
  readonly cases: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly thrown: Readonly<Record<string, number>>
  /** The number of cases that were wrong. */
  readonly wrong: number
  readonly examples: readonly string[]
  readonly cpuSeconds: number
}

const AT_ONCE = 32
const PATIENCE_MS = 30_000
const MAX_EXAMPLES = 20

/** Runs the cases of a range, some of them at once. */
export async function runRange(
  { seed, from, to }: Range,
  onResult?: (result: CaseResult) => void,
): Promise<Findings> {
  const outcomes: Record<string, number> = {}
  const thrown: Record<string, number> = {}
  const examples: string[] = []
  let wrong = 0
  const blame = (fault: string) => {
    wrong += 1
    if (examples.length < MAX_EXAMPLES) examples.push(fault)
  }
  process.on('uncaughtException', (error) => blame(`the process would have ended: ${error.stack}`))
  process.on('unhandledRejection', (error) => blame(`the process would have ended: ${String(error)}`))
  const { withPatience, stop } = createPatience()
  let next = from
  const runNext = async () => {
    while (next < to) {
      const number = next
      next += 1
      const name = `case ${number} (SEED=${seed} CASE=${number})`
      try {
        const result = await runCase(seed, number, withPatience)
        onResult?.(result)
        count(outcomes, result.outcome)
        if (result.thrown !== undefined) count(thrown, result.thrown)
        const { caller, channel, isStream } = result.asked
        if (result.fault !== undefined)
          blame(`${name}: ${channel} to ${caller}, stream ${isStream}: ${result.fault}`)
      } catch (error) {
        blame(`${name}: the attempt rejected: ${error instanceof Error ? error.stack : String(error)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runNext))
  stop()
  const { user, system } = process.cpuUsage()
  return { cases: to - from, outcomes, thrown, wrong, examples, cpuSeconds: (user + system) / 1e6 }
}

/** One timer for all cases in progress. */
function createPatience(): { readonly withPatience: Patience; stop(): void } {
  const inFlight = new Set<{ readonly sinceMs: number; giveUp(): void }>()
  const timer = setInterval(() => {
    for (const { sinceMs, giveUp } of inFlight) if (performance.now() - sinceMs > PATIENCE_MS) giveUp()
  }, 1_000)
  return {
    withPatience: (call) =>
      new Promise((resolve, reject) => {
        const entry = { sinceMs: performance.now(), giveUp: () => resolve(undefined) }
        inFlight.add(entry)
        call.then(resolve, reject).finally(() => inFlight.delete(entry))
      }),
    stop: () => clearInterval(timer),
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
