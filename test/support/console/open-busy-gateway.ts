import type { ConsoleBuild } from '../../../src/app/console-build.ts'
import { type Clock, systemClock } from '../../../src/kit/time/clock.ts'
import { addUser, makeOwner } from '../admin-browser.ts'
import { type StartedGateway, startGateway } from '../start-gateway.ts'
import { openModelUpstream } from './model-upstream.ts'

export interface BusyGateway extends AsyncDisposable {
  readonly gateway: StartedGateway
  /** Sends requests by the keys that are there. */
  sendRequests(count: number): Promise<void>
}

const configOf = (origins: readonly string[]) => `
channels:
  - { name: openai, provider: openai-compatible, base_url: "${origins[0]}/v1", allow_private: true, api_key: sk-up-1234567890, models: [gpt-4o, gpt-4o-mini], priority: 10, weight: 3 }
  - { name: azure-west, provider: openai-compatible, base_url: "${origins[1]}/v1", allow_private: true, api_key: sk-up-2234567890, models: [gpt-4o], priority: 10, weight: 1 }
  - { name: spare, provider: openai-compatible, base_url: "${origins[2]}/v1", allow_private: true, api_key: sk-up-3234567890, models: [gpt-4o, claude-sonnet], priority: 1 }
  - { name: demo, provider: demo }
models:
  gpt-4o: { price: { input: 2.5, cached_input: 1.25, output: 10 } }
  gpt-4o-mini: { price: { input: 0.15, cached_input: 0.075, output: 0.6 } }
  claude-sonnet: { price: { input: 3, output: 15 } }
  fast: { targets: [openai/gpt-4o-mini, demo/demo-chat], fallback: [gpt-4o] }
  smart: { targets: [openai/gpt-4o, spare/claude-sonnet], strategy: priority-weighted }
groups:
  search: { models: ["*"], multiplier: 1.1, budgets: [{ limit_usd: 40, window: month, mode: exact }] }
  research: { models: [gpt-4o, smart], rate: { rpm: 600 } }
budgets:
  - { name: everything, scope: installation, limit_usd: 200, window: month, mode: exact, at_limit: refuse }
  - { name: team, scope: "tag:team", limit_usd: 20, window: week, mode: observe }
keys:
  - { name: ci, secret: sk-ci-0123456789abcdef, models: ["*"], budgets: [{ limit_usd: 2, window: day, mode: exact }] }
  - { name: search-api, secret: sk-search-0123456789abcdef, models: ["*"], group: search, tags: { team: search } }
  - { name: notebook, secret: sk-notebook-0123456789abcdef, models: ["*"], group: research, user: rosa }
`

const secrets = [
  'sk-ci-0123456789abcdef',
  'sk-search-0123456789abcdef',
  'sk-notebook-0123456789abcdef',
] as const
const models = ['gpt-4o', 'smart', 'gpt-4o', 'fast', 'gpt-4o-mini', 'claude-sonnet'] as const

const SLOTS_A_DAY = 24
const HOUR_MS = 3_600_000

interface BusyOptions {
  /** The length of the past that the gateway is given. */
  readonly days?: number
  readonly requestsADay?: number
  /** The console that is served; that of `npm run build` where it is left out. */
  readonly consoleBuild?: ConsoleBuild
}

/** A gateway with channels, groups, budgets, keys and a past, so that every page has something to show. */
export async function openBusyGateway({
  days = 0,
  requestsADay = 60,
  consoleBuild,
}: BusyOptions = {}): Promise<BusyGateway> {
  await using cleanup = new AsyncDisposableStack()
  const clock = createPastClock(days * 86_400_000)
  // An answer takes as long as one of a provider does.
  const onRequest = (index: number) => clock.catchUp(150 + ((index * 7_919) % 900))
  const upstreams = [
    await openModelUpstream({ onRequest }),
    await openModelUpstream({ failing: 0.3, onRequest }),
    await openModelUpstream({ onRequest }),
  ]
  for (const upstream of upstreams) cleanup.use(upstream)
  const gateway = cleanup.use(
    await startGateway(configOf(upstreams.map(({ origin }) => origin)), undefined, {
      // A gateway without a past is not behind the time.
      clock: days === 0 ? systemClock : clock,
      ...(consoleBuild !== undefined && { consoleBuild }),
    }),
  )
  await addPeople(gateway)
  let sent = 0
  const sendRequests = async (count: number) => {
    for (let at = 0; at < count; at += 6) {
      await Promise.all(Array.from({ length: Math.min(6, count - at) }, () => send(gateway, sent++)))
    }
  }
  const slots = days * SLOTS_A_DAY
  for (let slot = 0; slot < slots; slot += 1) {
    // More by day than by night, as in an office.
    const share = 0.3 + Math.max(0, Math.sin(((slot % SLOTS_A_DAY) / SLOTS_A_DAY) * Math.PI * 2 - 1.2))
    await sendRequests(Math.ceil((requestsADay / SLOTS_A_DAY) * share))
    clock.catchUp(slot + 1 === slots ? Number.POSITIVE_INFINITY : HOUR_MS)
  }
  const open = cleanup.move()
  return {
    gateway,
    sendRequests,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Everybody's name and role: olga owns it, adam administers, vera only looks, and mia is a member of search. */
async function addPeople(gateway: StartedGateway): Promise<void> {
  // The link of the start is of no use any more once the past is over.
  const owner = await makeOwner(gateway, 'olga')
  await addUser(owner, gateway, { name: 'adam', role: 'admin' })
  await addUser(owner, gateway, { name: 'vera', role: 'viewer' })
  await addUser(owner, gateway, { name: 'mia', role: 'member', groups: [{ group: 'search' }] })
}

interface PastClock extends Clock {
  /** Goes on by so much, and never beyond now. */
  catchUp(byMs: number): void
}

function createPastClock(pastMs: number): PastClock {
  let behindMs = pastMs
  return {
    nowMs: () => systemClock.nowMs() - behindMs,
    monotonicMs: () => systemClock.monotonicMs() - behindMs,
    startTimer: systemClock.startTimer,
    catchUp(byMs) {
      behindMs = Math.max(0, behindMs - byMs)
    },
  }
}

async function send({ url }: StartedGateway, index: number): Promise<void> {
  const model = index % 23 === 22 ? 'no-such-model' : models[index % models.length]
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secrets[index % secrets.length]}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      model,
      stream: index % 2 === 0,
      messages: [{ role: 'user', content: `Why does it rain on day ${index}?` }],
    }),
  })
  await response.text()
}
