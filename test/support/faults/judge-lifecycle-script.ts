import type { ReadyScript } from '../../../tools/chaos/ready/ready-script.ts'
import { ask } from '../ask.ts'
import { createAskAdmin } from '../ask-admin.ts'
import { until } from '../until.ts'
import { judgeRawAnswer } from './judge-raw-answer.ts'
import type { ScriptVerdict } from './judge-ready-script.ts'
import { judgeSdkAnswer } from './judge-sdk-answer.ts'
import { leaveAnswer } from './leave-answer.ts'
import { describeCase, type FaultCase } from './list-fault-cases.ts'
import { type DrainLimit, listLifecycleCases, outcomeOfEnd } from './list-lifecycle-cases.ts'
import { type FaultBench, openFaultBench } from './open-fault-bench.ts'

type Judge = (one: FaultCase) => Promise<readonly string[]>

/** A script whose fault the caller or the gateway brings about, all its cases at once. */
export async function judgeLifecycleScript(
  ready: ReadyScript,
  limits: readonly DrainLimit[] = ['too-short', 'enough'],
): Promise<ScriptVerdict> {
  if (ready.actor === 'caller') return judgeLeaving(ready)
  const verdicts = await Promise.all(limits.map((limit) => judgeEnding(ready, limit)))
  return {
    cases: verdicts.reduce((sum, { cases }) => sum + cases, 0),
    failures: verdicts.flatMap(({ failures }) => failures),
  }
}

/** F45: the upstream call is ended at once, nobody else is asked, and nothing is held against the target. */
async function judgeLeaving(ready: ReadyScript): Promise<ScriptVerdict> {
  const cases = listLifecycleCases(ready, { type: 'whole', text: 'other' })
  await using bench = await openFaultBench(ready, cases)
  const failures = await judgeEach(cases, bench, (one) => leaveAnswer(one, bench))
  const { text } = await createAskAdmin(bench.gateway.url)('GET', '/health')
  if (!text.includes('"status":"healthy"') || /"failures":[1-9]/.test(text))
    failures.push(`${ready.name}: it was held against the target: ${text}`)
  return { cases: cases.length, failures }
}

/** F46: what is new is refused; what is in progress ends within the limit, or gets an error. */
async function judgeEnding(ready: ReadyScript, limit: DrainLimit): Promise<ScriptVerdict> {
  const cases = listLifecycleCases(ready, outcomeOfEnd(ready, limit))
  await using bench = await openFaultBench(ready, cases)
  const { gateway, upstream } = bench
  const judged = judgeEach(cases, bench, (one) =>
    one.judge === 'raw' ? judgeRawAnswer(one, gateway.url) : judgeSdkAnswer(one, gateway.url),
  )
  await until('all are asked', () => upstream.requests.length === cases.length)
  const hasBegun = ready.phase === 'after-content'
  if (hasBegun)
    await until('all say something', () => upstream.requests.every((one) => one.bytesSent > 2_000))
  const closed = gateway.close(limit === 'enough' ? 30_000 : 3_000)
  const failures = await refuseNew(ready, bench)
  failures.push(...(await judged))
  await closed
  return { cases: cases.length + newcomers.length, failures }
}

const newcomers = (['chat', 'messages'] as const).flatMap((caller) =>
  (['raw', 'sdk'] as const).map((judge) => ({ caller, judge })),
)

async function refuseNew(ready: ReadyScript, { gateway: { url } }: FaultBench): Promise<string[]> {
  const failures = newcomers.map(async ({ caller, judge }) => {
    const outcome = { type: 'error', code: 'shutting_down' } as const
    const common = { form: 'whole', hasSpare: false, isTimed: false, spareIsAsked: false } as const
    const one = { ...common, script: ready.name, model: 'case-0', caller, channel: caller, judge, outcome }
    const problems = [...(await (judge === 'raw' ? judgeRawAnswer(one, url) : judgeSdkAnswer(one, url)))]
    const { headers } = await ask({ url, format: caller }, { model: 'case-0', messages: [] })
    if (headers.connection !== 'close') problems.push(`the connection is ${headers.connection}`)
    return problems.length === 0 ? [] : [`a new request: ${describeCase(one)}: ${problems.join('; ')}`]
  })
  return (await Promise.all(failures)).flat()
}

async function judgeEach(
  cases: readonly FaultCase[],
  { spare }: FaultBench,
  judge: Judge,
): Promise<string[]> {
  const failures = cases.map(async (one) => {
    const problems = [...(await judge(one))]
    if (spare.requests.some(({ model }) => model === one.model)) problems.push('the other target was asked')
    return problems.length === 0 ? [] : [`${describeCase(one)}: ${problems.join('; ')}`]
  })
  return (await Promise.all(failures)).flat()
}
