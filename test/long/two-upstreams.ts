// Two upstreams of one model, 200 requests a second: the first fails always, in three of ten requests, answers slowly,
// or limits its rate, and is well again later. How many callers get their answer, how many calls that costs, when it is
// no longer asked and when it is back.

import { Agent } from 'node:http'
import { systemClock } from '../../src/kit/time/clock.ts'
import type { FaultInput } from '../../tools/chaos/script/fault-schema.ts'
import { openFaultUpstream } from '../../tools/chaos/upstream/open-fault-upstream.ts'
import { ask } from '../support/ask.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { startGateway } from '../support/start-gateway.ts'

const PER_SECOND = 200
const FAILING_MS = 10_000
const RUN_MS = 27_000
const MIN_SUCCESS = 0.999
const MAX_EXTRA = 0.1
const MAX_OPEN_MS = 2_000
const MAX_RETURN_MS = 15_000
const SLOT_MS = 250
/** Half of the half that is its share of the traffic; less is no longer traffic but probes. */
const BUSY = ((PER_SECOND / 2) * SLOT_MS) / 1_000 / 2

interface Scene {
  readonly name: string
  readonly fault: FaultInput
  readonly chance?: number
}

const scenes: readonly Scene[] = [
  { name: 'failing always', fault: { reply: { error: 'internal' } } },
  { name: 'failing in 30 %', fault: { reply: { error: 'internal' } }, chance: 0.3 },
  { name: 'slow', fault: { stall: { after: 'request', for: '120s' } } },
  {
    name: 'limiting its rate',
    fault: { reply: { error: 'rate-limit', retry_after: { seconds: 2 } } },
  },
]

const asked = process.argv.slice(2)
for (const scene of scenes.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  if (!(await play(scene))) process.exitCode = 1
}

async function play({ name, fault, chance }: Scene): Promise<boolean> {
  await using cleanup = new AsyncDisposableStack()
  const when = { until: `${FAILING_MS}ms`, ...(chance === undefined ? {} : { chance }) }
  const answer = { words: 3 }
  const open = async (script: object) =>
    cleanup.use(await openFaultUpstream({ clock: systemClock, seed: 7, script: { answer, ...script } }))
  const sick = await open({ rules: [{ when, do: fault }] })
  const well = await open({})
  const more = 'priority: 1\n    timeouts: { headers: 1s, first_content: 1s, total: 1s }'
  const yaml = channelYaml(
    { name: 'sick', format: 'chat', origin: sick.origin, models: ['m'], more },
    { name: 'well', format: 'chat', origin: well.origin, models: ['m'], more: 'priority: 1' },
  )
  const gateway = cleanup.use(await startGateway(yaml))
  const agent = new Agent({ keepAlive: true, maxSockets: 2_000 })
  cleanup.defer(() => agent.destroy())
  const startedAtMs = performance.now()
  const outcomes: Promise<boolean>[] = []
  while (performance.now() - startedAtMs < RUN_MS) {
    const due = Math.floor(((performance.now() - startedAtMs) / 1_000) * PER_SECOND)
    while (outcomes.length < due) outcomes.push(askOnce(gateway.url, agent, outcomes.length))
    await new Promise((next) => setTimeout(next, 5))
  }
  const answers = await Promise.all(outcomes)
  const success = answers.filter(Boolean).length / answers.length
  const calls = sick.requests.length + well.requests.length
  const extra = calls / answers.length - 1
  const firstMs = sick.requests.find(({ rule }) => rule !== undefined)?.atMs ?? 0
  const opensMs = findSlot(sick.requests, firstMs, (count) => count < BUSY) - firstMs
  const returnsMs = findSlot(sick.requests, FAILING_MS, (count) => count >= BUSY) - FAILING_MS
  const isGood =
    success >= MIN_SUCCESS && extra <= MAX_EXTRA && returnsMs <= MAX_RETURN_MS && opensMs <= MAX_OPEN_MS
  process.stdout.write(
    `two upstreams, one ${name}: ${answers.length} requests, success ${(success * 100).toFixed(2)} %, extra calls ${(extra * 100).toFixed(1)} %, out of rotation after ${Math.round(opensMs)} ms, its share back ${Math.round(returnsMs)} ms after it is healthy: ${isGood ? 'good' : 'NOT good'}\n`,
  )
  return isGood
}

/** When the first quarter of a second begins in which the number of requests is so; never is infinity. */
function findSlot(
  requests: readonly { readonly atMs: number }[],
  fromMs: number,
  isSo: (count: number) => boolean,
): number {
  for (let slotMs = fromMs; slotMs + SLOT_MS <= RUN_MS; slotMs += SLOT_MS) {
    const count = requests.filter(({ atMs }) => atMs >= slotMs && atMs < slotMs + SLOT_MS).length
    if (isSo(count)) return slotMs
  }
  return Number.POSITIVE_INFINITY
}

async function askOnce(url: string, agent: Agent, number: number): Promise<boolean> {
  const messages = [{ role: 'user', content: `Request ${number}` }]
  try {
    const { status, isCut } = await ask({ url, format: 'chat' }, { model: 'm', messages }, { agent })
    return status === 200 && !isCut
  } catch {
    return false
  }
}
