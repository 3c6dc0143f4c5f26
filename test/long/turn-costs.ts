// What turns of the event loop take, measured so that work is told from waiting: the processor time of the thread, and
// the time on the wall, each the least of several runs.

import type { Steps } from '../../src/kit/values/steps.ts'

export interface Turn {
  readonly name: string
  readonly wallMs: number
  readonly cpuMs: number
}

const REPEATS = 3
/** Where a step is still too long: on a machine that does other things, three runs may all have been held up. */
const MOST_REPEATS = 12

/** Of each step, the least of several runs. */
export function measureSteps(name: string, mostMs: number, open: () => Steps<unknown>): readonly Turn[] {
  const least: { wallMs: number; cpuMs: number }[] = []
  const isOver = () => least.some(({ wallMs }) => wallMs > mostMs)
  for (let repeat = 0; repeat < REPEATS || (repeat < MOST_REPEATS && isOver()); repeat += 1) {
    const steps = open()
    for (let step = 0, isDone = false; !isDone; step += 1) {
      const cpu = process.threadCpuUsage()
      const startedAtMs = performance.now()
      isDone = steps.next().done === true
      const wallMs = performance.now() - startedAtMs
      const { user, system } = process.threadCpuUsage(cpu)
      const before = least[step] ?? { wallMs: Number.POSITIVE_INFINITY, cpuMs: Number.POSITIVE_INFINITY }
      const cpuMs = Math.min(before.cpuMs, (user + system) / 1_000)
      least[step] = { wallMs: Math.min(before.wallMs, wallMs), cpuMs }
    }
  }
  return least.map((cost, step) => ({ name: `step ${step + 1} of ${name}`, ...cost }))
}

/** Prints the longest, and fails where one is longer than it may be. */
export function reportTurns(name: string, turns: readonly Turn[], mostMs: number): void {
  const longest = turns.toSorted((left, right) => right.wallMs - left.wallMs)
  const over = longest.filter(({ wallMs }) => wallMs > mostMs)
  process.stdout.write(
    `${name}: ${turns.length} turns, ${over.length} longer than ${mostMs} ms; the longest (processor time in brackets):\n`,
  )
  for (const { wallMs, cpuMs, name: turn } of longest.slice(0, Math.max(8, over.length)))
    process.stdout.write(`  ${wallMs.toFixed(0)} (${cpuMs.toFixed(0)}) ms ${turn}\n`)
  if (over.length > 0) process.exitCode = 1
}
