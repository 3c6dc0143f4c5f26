// What turns of the event loop take, measured so that work and waiting stay apart: the processor time of the thread,
// and the time on the wall, each the least of several runs. Judged is the wall's, since a thread may wait for the
// collector.

import type { Steps } from '../../src/kit/async/steps.ts'
import { TURN_MS } from '../../src/pipeline/exchange/answer-budget.ts'

export interface Turn {
  readonly name: string
  readonly wallMs: number
  readonly cpuMs: number
}

const REPEATS = 3
/** Where a turn is still too long: on a machine that does other things, three runs may all have been held up. */
const MAX_REPEATS = 12

export interface MeasuredWork {
  readonly name: string
  readonly maxMs: number
  /** Whether what takes little shares a turn with what follows, as the steps of a body do. */
  readonly isJoined?: true
}

/** Measures each turn several times and takes the least. */
export function measureTurns(
  { name, maxMs, isJoined }: MeasuredWork,
  open: () => Steps<unknown>,
): readonly Turn[] {
  const lowest: { wallMs: number; cpuMs: number }[] = []
  const listTurns = () => {
    const steps = lowest.map((cost, step) => ({ name: `step ${step + 1} of ${name}`, ...cost }))
    return isJoined ? joinSteps(steps) : steps
  }
  const isOver = () => listTurns().some(({ wallMs }) => wallMs > maxMs)
  for (let repeat = 0; repeat < REPEATS || (repeat < MAX_REPEATS && isOver()); repeat += 1) {
    for (const [step, { wallMs, cpuMs }] of timeSteps(open()).entries()) {
      const before = lowest[step] ?? { wallMs, cpuMs }
      lowest[step] = { wallMs: Math.min(before.wallMs, wallMs), cpuMs: Math.min(before.cpuMs, cpuMs) }
    }
  }
  return listTurns()
}

function timeSteps(steps: Steps<unknown>): readonly { readonly wallMs: number; readonly cpuMs: number }[] {
  const times: { wallMs: number; cpuMs: number }[] = []
  for (let isDone = false; !isDone; ) {
    const cpu = process.threadCpuUsage()
    const startedAtMs = performance.now()
    isDone = steps.next().done === true
    const wallMs = performance.now() - startedAtMs
    const { user, system } = process.threadCpuUsage(cpu)
    times.push({ wallMs, cpuMs: (user + system) / 1_000 })
  }
  return times
}

function joinSteps(steps: readonly Turn[]): readonly Turn[] {
  const turns: Turn[] = []
  let isOpen = false
  for (const step of steps) {
    const last: Turn | undefined = isOpen ? turns.pop() : undefined
    const turn: Turn = {
      name: last === undefined ? step.name : last.name.replace(/^step/, 'from step'),
      wallMs: (last?.wallMs ?? 0) + step.wallMs,
      cpuMs: (last?.cpuMs ?? 0) + step.cpuMs,
    }
    turns.push(turn)
    isOpen = turn.wallMs < TURN_MS
  }
  return turns
}

/** Prints the longest, and fails where one is longer than it may be. */
export function reportTurns(name: string, turns: readonly Turn[], maxMs: number): void {
  const longest = turns.toSorted((left, right) => right.wallMs - left.wallMs)
  const over = longest.filter(({ wallMs }) => wallMs > maxMs)
  process.stdout.write(
    `${name}: ${turns.length} turns, ${over.length} longer than ${maxMs} ms; the longest (processor time in brackets):\n`,
  )
  for (const { wallMs, cpuMs, name: turn } of longest.slice(0, Math.max(8, over.length)))
    process.stdout.write(`  ${wallMs.toFixed(0)} (${cpuMs.toFixed(0)}) ms ${turn}\n`)
  if (over.length > 0) process.exitCode = 1
}
