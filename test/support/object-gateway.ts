import { type Clock, systemClock } from '../../src/kit/time/clock.ts'
import { type StartedGateway, startGateway } from './start-gateway.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { needsOneProcess } from './topology/needs.ts'
import { topology } from './topology/topology.ts'

export const keyA = 'sk-batch-a-0123456789abcdef'
export const keyB = 'sk-batch-b-0123456789abcdef'
/** A key with an exact budget of a dollar. */
export const keyOfDollar = 'sk-batch-d-0123456789abcdef'
/** A key that may use another model alone. */
export const keyOfOther = 'sk-batch-o-0123456789abcdef'

/** The keys of a configuration; `other` is the one model of `keyOfOther`. */
export function objectKeys(other: string): readonly string[] {
  return [
    'keys:',
    `  - { name: a, secret: ${keyA}, models: ["*"] }`,
    `  - { name: b, secret: ${keyB}, models: ["*"] }`,
    `  - { name: dollar, secret: ${keyOfDollar}, models: ["*"], budgets: [{ limit_usd: 1, window: month, mode: exact }] }`,
    `  - { name: other, secret: ${keyOfOther}, models: [${other}] }`,
  ]
}

/** A clock that a test puts forward; the look at batches happens when the test says so. */
export interface BatchClock extends Clock {
  advance(byMs: number): void
  look(): void
}

const TICK_MS = 15_000

/** The times after which a call for an object is given up. */
const callTimeouts: ReadonlySet<number> = new Set([60_000, 3_600_000])
const QUICK_TIMEOUT_MS = 150

/** `isQuick` gives calls up at once. */
function createBatchClock({ isQuick = false } = {}): BatchClock {
  let aheadMs = 0
  let look: () => void = () => undefined
  return {
    nowMs: () => systemClock.nowMs() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    startTimer(delayMs, fire) {
      const isCall = isQuick && callTimeouts.has(delayMs)
      if (delayMs !== TICK_MS) return systemClock.startTimer(isCall ? QUICK_TIMEOUT_MS : delayMs, fire)
      look = fire
      return { cancel: () => undefined, restart: () => undefined }
    },
    advance(byMs) {
      needsOneProcess('its clock is the test’s')
      aheadMs += byMs
    },
    look() {
      needsOneProcess('its clock is the test’s')
      look()
    },
  }
}

/** A gateway before one provider that stores files and batches. */
export interface ObjectGateway<Upstream, Client> extends AsyncDisposable {
  readonly gateway: StartedGateway
  readonly upstream: Upstream
  readonly clock: BatchClock
  clientOf(key: string): Client
  /** Stops the gateway and starts it again on its data folder, with the lines of its configuration changed. */
  restart(change?: (line: string) => string): Promise<void>
}

export interface ObjectGatewayParts<Upstream, Client> {
  readonly upstream: Upstream
  /** The lines of the configuration. */
  readonly lines: readonly string[]
  /** `url` is that of the gateway. */
  readonly createClient: (url: string, key: string) => Client
  readonly isQuick?: boolean | undefined
}

export async function openObjectGateway<Upstream extends AsyncDisposable, Client>({
  upstream,
  lines,
  createClient,
  isQuick,
}: ObjectGatewayParts<Upstream, Client>): Promise<ObjectGateway<Upstream, Client>> {
  const folder = makeTemporaryFolder()
  if (isQuick === true) needsOneProcess('its clock is the test’s')
  const clock = createBatchClock({ isQuick })
  const parts = topology === 'one process' ? { clock } : {}
  const start = (change = (line: string) => line) => startGateway(lines.map(change).join('\n'), folder, parts)
  let gateway = await start()
  return {
    get gateway() {
      return gateway
    },
    upstream,
    clock,
    clientOf: (key) => createClient(gateway.url, key),
    async restart(change) {
      await gateway[Symbol.asyncDispose]()
      gateway = await start(change)
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}
