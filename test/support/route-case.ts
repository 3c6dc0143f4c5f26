import { type ErrorCode, errorRow } from '../../src/canonical/error-table.ts'
import { createFailure, type Failure } from '../../src/canonical/failure.ts'
import type { Channel } from '../../src/catalog/channel.ts'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import type { ModelEntry } from '../../src/catalog/model-entry.ts'
import { strategies } from '../../src/catalog/strategy.ts'
import type { Random } from '../../src/kit/random/random.ts'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { type AttemptEnd, AttemptSequence } from '../../src/routing/attempt-sequence.ts'
import type { Candidate } from '../../src/routing/candidate.ts'
import { judgeFailure } from '../../src/routing/judge-failure.ts'
import { type Plan, planAttempts } from '../../src/routing/plan-attempts.ts'
import { RetryBudget } from '../../src/routing/retry-budget.ts'
import { createChannel } from './create-channel.ts'
import { createRoutingFacts } from './routing-facts.ts'

const codes: readonly ErrorCode[] = [
  'upstream_error',
  'upstream_overloaded',
  'upstream_empty',
  'upstream_bad_response',
  'upstream_disconnected',
  'upstream_timeout',
  'upstream_unreachable',
  'upstream_tls',
  'upstream_rate_limited',
  'upstream_quota',
  'upstream_credential',
  'upstream_model_missing',
  'upstream_rejected',
  'context_length_exceeded',
  'content_policy_violation',
  'request_too_large',
  'cannot_be_carried',
]
const publicNames = ['m0', 'm1', 'm2', 'm3'] as const
const REQUESTS = 12

/**
 * One generated catalogue and failure script in simulated time: several requests, one after the other and some at the
 * same time, over the same books. Gives what was wrong, one line each; the same seed gives the same case.
 */
export function runRouteCase(seed: number): readonly string[] {
  const random = createSeededRandom(seed)
  const world = createWorld(random)
  const wrong: string[] = []
  let nowMs = 0
  const live: LiveRequest[] = []
  for (let count = 0; count < REQUESTS; count += 1) {
    nowMs += upTo(random, 4_000)
    if (random.fraction() < 0.2) spendBudget(world, nowMs)
    live.push(openRequest(world, nowMs))
    // Some are answered before the next comes, others stay in progress beside it.
    while (live.length > upTo(random, 3)) {
      const request = live.shift()
      if (request !== undefined) nowMs = runToEnd(request, world, nowMs)
      if (request !== undefined) wrong.push(...judgeRequest(request, world))
    }
  }
  for (const request of live) {
    nowMs = runToEnd(request, world, nowMs)
    wrong.push(...judgeRequest(request, world))
  }
  for (const { channel } of world.targets) {
    if (world.routingState.inFlight.ofChannel(channel.name) !== 0)
      wrong.push(`${channel.name}: a place was not given back`)
  }
  return wrong.map((line) => `seed ${seed}: ${line}`)
}

/** Spends the retry budget as other requests would. */
function spendBudget({ routingState }: World, nowMs: number): void {
  let isGranted = true
  while (isGranted) isGranted = routingState.retryBudget.tryWithdraw('further', nowMs)
}

function upTo(random: Random, limit: number): number {
  return Math.floor(random.fraction() * limit)
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[upTo(random, items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

function createWorld(random: Random) {
  const channels = Array.from({ length: 1 + upTo(random, 5) }, (_, index) => makeChannel(`c${index}`, random))
  const entries = publicNames.map((name, index) => makeEntry(name, index, random))
  const catalog = createCatalog({ channels, entries, lists: new Map(), createdAtSeconds: 0 })
  const facts = {
    ...createRoutingFacts(upTo(random, 1e9)),
    rotation: { turnOf: () => upTo(random, 5), advance: () => undefined },
  }
  const policy = {
    attempts: 1 + upTo(random, 6),
    sameTarget: upTo(random, 3),
    maxRetryAfterMs: upTo(random, 5_000),
    deadlineMs: 500 + upTo(random, 20_000),
  }
  const targets = publicNames.flatMap((name) => catalog.findRoute(name)?.targets ?? [])
  const routingState = { ...facts, retryBudget: new RetryBudget() }
  const failureShare = random.fraction()
  return { catalog, facts, routingState, policy, targets, random, failureShare }
}

type World = ReturnType<typeof createWorld>

function makeChannel(name: string, random: Random): Channel {
  const names = publicNames.filter((one) => one === 'm0' || random.fraction() < 0.5)
  const keys = upTo(random, 4)
  return createChannel({
    name,
    models: Object.fromEntries(names.map((one) => [one, `u${upTo(random, 3)}`])),
    credentials: Array.from({ length: keys }, (_, index) => ({
      id: `${name}#${index}`,
      secret: `secret ${index}`,
    })),
    priority: upTo(random, 3),
    weight: 1 + upTo(random, 4),
    breaker: random.fraction() < 0.1 ? undefined : { failures: 1 + upTo(random, 5), windowMs: 10_000 },
    concurrency: random.fraction() < 0.3 ? 1 + upTo(random, 2) : undefined,
  })
}

function makeEntry(publicName: string, index: number, random: Random): ModelEntry {
  const contextWindowTokens = random.fraction() < 0.5 ? 1_000 * (1 + upTo(random, 200)) : undefined
  return {
    publicName,
    // Fallbacks lead onwards alone, so that no circle comes about.
    fallbacks: publicNames.slice(index + 1).filter(() => random.fraction() < 0.5),
    capabilities: contextWindowTokens === undefined ? {} : { contextWindowTokens },
    strategy: pick(random, strategies),
  }
}

interface MadeCall {
  readonly candidate: Candidate
  readonly atMs: number
  readonly end: AttemptEnd
}

interface LiveRequest {
  readonly plan: Plan
  readonly sequence: AttemptSequence
  readonly startedAtMs: number
  readonly deadlineAtMs: number
  readonly calls: MadeCall[]
}

function openRequest({ catalog, facts, routingState, policy, random }: World, nowMs: number): LiveRequest {
  const route = catalog.findRoute('m0')
  if (route === undefined) throw new Error('the catalog serves no m0')
  const isStream = random.fraction() < 0.5
  const plan = planAttempts({
    route,
    catalog,
    operation: 'conversation',
    monotonicMs: nowMs,
    atMs: nowMs,
    isStream,
    facts,
    session: undefined,
  })
  const deadlineAtMs = nowMs + policy.deadlineMs
  const { candidates } = plan
  const sequence = new AttemptSequence({ candidates, routingState, policy, random, isStream, deadlineAtMs })
  return { plan, sequence, startedAtMs: nowMs, deadlineAtMs, calls: [] }
}

/** Gives the time at which it was over. */
function runToEnd({ sequence, calls }: LiveRequest, world: World, fromMs: number): number {
  let nowMs = fromMs
  for (let steps = 0; steps < 1_000; steps += 1) {
    const step = sequence.next(nowMs)
    if (step.type === 'end') return nowMs
    if (step.type === 'wait') {
      nowMs += step.waitMs
      continue
    }
    const atMs = nowMs
    nowMs += upTo(world.random, 3_000)
    const end = makeEnd(world)
    if (end.type !== 'left' && world.random.fraction() < 0.1) sequence.recordContent(nowMs)
    sequence.finish(end, nowMs)
    calls.push({ candidate: step.candidate, atMs, end })
  }
  return Number.NaN
}

function makeEnd({ random, failureShare }: World): AttemptEnd {
  if (random.fraction() < 0.03) return { type: 'left' }
  if (random.fraction() > failureShare) return { type: 'answered' }
  return { type: 'failed', failure: makeFailure(random) }
}

function makeFailure(random: Random): Failure {
  const code = pick(random, codes)
  const waits = errorRow(code).retry === 'wait' && random.fraction() < 0.5
  return createFailure(code, waits ? { retryAfterSeconds: upTo(random, 8) } : {})
}

function judgeRequest({ plan, sequence, calls, deadlineAtMs }: LiveRequest, world: World): readonly string[] {
  const { policy } = world
  const keyOf = ({ target, credential }: Candidate) =>
    `${target.channel.name} ${credential?.id} ${target.upstreamModel}`
  const wrong: string[] = []
  const planned = plan.candidates.map(keyOf)
  const all = [
    ...planned,
    ...plan.excluded.map((one) => keyOf({ ...one, operation: 'conversation', isProbe: false })),
  ]
  if (new Set(all).size !== all.length) wrong.push(`the plan names one twice: ${all.join(', ')}`)
  for (const { target, publicName } of plan.candidates) {
    const named = world.catalog.findRoute(publicName)?.targets ?? []
    if (!named.some((one) => one.channel === target.channel && one.upstreamModel === target.upstreamModel))
      wrong.push(`${target.channel.name} is not in the route of ${publicName}`)
  }
  if (calls.length > policy.attempts) wrong.push(`${calls.length} calls instead of ${policy.attempts}`)
  if (sequence.calls !== calls.length) wrong.push('a call was not counted')
  calls.forEach(({ candidate, atMs, end }, index) => {
    const before = calls[index - 1]
    if (!planned.includes(keyOf(candidate))) wrong.push(`${keyOf(candidate)} was not planned`)
    if (!(atMs < deadlineAtMs)) wrong.push(`a call began ${atMs - deadlineAtMs} ms after the deadline`)
    if (before === undefined) return
    if (before.end.type !== 'failed') wrong.push(`a call after one that was ${before.end.type}`)
    const sameCalls = calls.slice(0, index).filter((one) => keyOf(one.candidate) === keyOf(candidate))
    if (sameCalls.length > policy.sameTarget)
      wrong.push(`${keyOf(candidate)} was asked ${sameCalls.length + 1} times`)
    if (sameCalls.length > 0 && keyOf(before.candidate) !== keyOf(candidate))
      wrong.push(`${keyOf(candidate)} was asked again after another`)
    wrong.push(...judgeFollowing(before, { candidate, atMs, end }))
  })
  return wrong
}

/** Whether the call may follow the one before it, by the verdict on that. */
function judgeFollowing({ candidate: failed, end }: MadeCall, { candidate }: MadeCall): readonly string[] {
  if (end.type !== 'failed') return []
  const { code } = end.failure
  const verdict = judgeFailure(end.failure)
  const isSame = failed.target === candidate.target && failed.credential === candidate.credential
  switch (verdict.next) {
    case 'stop':
      return [`a call after ${code}`]
    case 'larger': {
      const before = failed.target.capabilities.contextWindowTokens
      const after = candidate.target.capabilities.contextWindowTokens
      if (before === undefined || after === undefined)
        return failed.publicName !== candidate.publicName ? [] : [`after ${code} another target of the name`]
      return after > before ? [] : [`after ${code} a window of ${after} instead of ${before}`]
    }
    case 'elsewhere': {
      if (isSame) return verdict.mayRetry ? [] : [`${code} was repeated`]
      const isOther = verdict.excludes !== 'channel' || failed.target.channel !== candidate.target.channel
      return isOther ? [] : [`after ${code} the same channel`]
    }
  }
}
