import { afterAll, expect, it } from 'vitest'
import { readyScripts } from '../../tools/chaos/ready/ready-scripts.ts'
import { expectedOutcomes } from '../support/faults/expected-outcomes.ts'
import { judgeLifecycleScript } from '../support/faults/judge-lifecycle-script.ts'
import { judgeReadyScript } from '../support/faults/judge-ready-script.ts'
import type { FaultCase } from '../support/faults/list-fault-cases.ts'

/** Others than the upstream bring the rest about. */
const played = readyScripts.filter(({ actor }) => actor === undefined)
const acted = readyScripts.filter(({ actor }) => actor !== undefined)
const rows = [...new Set(played.map(({ id }) => id))]
let judged = 0
let good = 0

afterAll(() => {
  process.stdout.write(`fault matrix, a part: ${good} of ${judged} as specified\n`)
})

it('the matrix has an expectation for every ready-made fault, and for no other', () => {
  expect(Object.keys(expectedOutcomes).sort()).toEqual(played.map(({ name }) => name).sort())
})

/** The bare caller alone and the official client with a healthy target; `npm run test:long` has all. */
function isPart({ judge, hasSpare, caller, form, channel }: FaultCase): boolean {
  const isChosenForm = form === 'stream' || caller === channel
  return isChosenForm && (judge === 'raw') !== hasSpare
}

it.each(rows)('%s: callers get the outcome in the table of faults', async (row) => {
  const [ready] = played.filter(({ id, name }) => id === row && !name.endsWith('bomb'))
  if (ready === undefined) throw new Error(`${row} has no script`)
  const verdict = await judgeReadyScript(ready, isPart)
  judged += verdict.cases
  good += verdict.cases - verdict.failures.length
  expect(verdict.failures).toEqual([])
})

it.each(acted.map((ready) => [ready.name, ready] as const))(
  '%s: callers, the upstream and its health get the outcome in the table of faults',
  async (_name, ready) => {
    const verdict = await judgeLifecycleScript(ready, ['too-short'])
    judged += verdict.cases
    good += verdict.cases - verdict.failures.length
    expect(verdict.failures).toEqual([])
  },
)
