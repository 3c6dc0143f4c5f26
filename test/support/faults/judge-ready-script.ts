import type { ReadyScript } from '../../../tools/chaos/ready/ready-script.ts'
import { judgeRawAnswer } from './judge-raw-answer.ts'
import { judgeSdkAnswer } from './judge-sdk-answer.ts'
import { describeCase, type FaultCase, listFaultCases } from './list-fault-cases.ts'
import { type FaultBench, openFaultBench } from './open-fault-bench.ts'

export interface ScriptVerdict {
  /** The number of judged cases. */
  readonly cases: number
  readonly failures: readonly string[]
}

/** Enough to let the timers of many cases run at once. */
const AT_ONCE = 16

/** Plays every case of one ready-made script that is chosen, and tells which went otherwise than expected. */
export async function judgeReadyScript(
  ready: ReadyScript,
  isChosen: (one: FaultCase) => boolean = () => true,
): Promise<ScriptVerdict> {
  const cases = listFaultCases(ready).filter(isChosen)
  await using bench = await openFaultBench(ready, cases)
  const failures: string[] = []
  const judge = async (one: FaultCase) => {
    const before = one.spareIsAsked
    const judged = one.judge === 'raw' ? judgeRawAnswer : judgeSdkAnswer
    const problems = [...(await judged(one, bench.gateway.url))]
    const isAsked = bench.spare.requests.some(({ model }) => model === one.model)
    if (isAsked !== before) problems.push(`the other target was ${isAsked ? '' : 'not '}asked`)
    if (problems.length > 0) failures.push(`${describeCase(one)}: ${problems.join('; ')}`)
  }
  const waiting = [...cases]
  const work = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await judge(one)
  }
  // One after the other where the fault lies in a kept connection: each call then meets the one before.
  await Promise.all(Array.from({ length: ready.id === 'F4' ? 1 : AT_ONCE }, work))
  return { cases: cases.length, failures: [...failures, ...judgeConnections(ready, bench)] }
}

/**
 * Judges connections. One that sent more than its answer is never used again, since what it would say next is nobody's.
 */
function judgeConnections({ id }: ReadyScript, { upstream }: FaultBench): readonly string[] {
  const used = new Set(upstream.requests.map(({ connection }) => connection))
  return id !== 'F44' || used.size === upstream.requests.length ? [] : [`${id}: a connection was used again`]
}
