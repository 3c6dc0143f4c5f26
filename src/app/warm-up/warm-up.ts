import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { type FormatId, formatIds } from '../../canonical/format.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { systemClock } from '../../kit/time/clock.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import { type App, openApp } from '../app.ts'
import { createLoopbackIdentity } from './loopback-identity.ts'
import {
  findWarmUpFormats,
  isWarmUpSecure,
  loadWarmUpConfig,
  type WarmUpInput,
} from './warm-up-configuration.ts'
import type { WarmUpBatch, WarmUpLane } from './warm-up-protocol.ts'
import { WarmUpError, WarmUpThread } from './warm-up-thread.ts'

/** The warm-up begins this long after the gateway is ready, and goes on this long after a request. */
const QUIET_MS = 1_000
/** The share of that time from which on the event loop has other things to do. */
const BUSY_SHARE = 0.2
/** The time of the warm-up, without its waits: it is over within ten seconds of a start, on one core. */
const WORK_MS = 6_000
/** A process that callers have asked for this long is warm, or has other things to do. */
const GIVE_UP_MS = MINUTE_MS
/** The number of gateways that serve, one after the other. */
const GATEWAYS = 3
const REQUESTS_OF_BATCH = 25
/** The callers' own format is served without translation, and most callers use it. */
const BATCHES_OF_OWN_FORMAT = 4
/** V8's own. */
const DEFAULT_GROWTH_FACTOR = 2
const SECRET_BYTES = 24
const FOLDER_PREFIX = 'warm-up-'

export interface WarmUpOptions {
  /** The gateway that callers ask. */
  readonly app: Pick<App, 'activeCount' | 'configuration'>
  readonly version: string
  readonly printError: (line: string) => void
}

export interface WarmUp {
  /** Fulfilled once it is over: whether the memory that the start has left was given back. */
  readonly ended: Promise<boolean>
  stop(): Promise<void>
}

/**
 * Has V8 compile what requests run before the first caller comes: other gateways of the same code, in this process,
 * serve requests of every format to channels of the formats in use (decision 0044). It waits while callers are served.
 */
export function startWarmUp(options: WarmUpOptions): WarmUp {
  const stopped = new AbortController()
  const run = new WarmUpRun(options, stopped.signal)
  const { warmsUp } = options.app.configuration().config
  const ended = (warmsUp ? run.run().catch(report) : Promise.resolve()).then(() => run.hasReturnedMemory)
  function report(error: unknown): void {
    if (!stopped.signal.aborted)
      options.printError(
        `headgate: warning: the warm-up ended early, so the first requests may take longer: ${reasonOf(error)}`,
      )
  }
  return {
    ended,
    async stop() {
      stopped.abort()
      await ended
    },
  }
}

class WarmUpRun {
  hasReturnedMemory = false
  readonly #options: WarmUpOptions
  readonly #signal: AbortSignal
  readonly #giveUpAtMs = systemClock.monotonicMs() + GIVE_UP_MS
  #workedMs = 0

  constructor(options: WarmUpOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
  }

  async run(): Promise<void> {
    const { config } = this.#options.app.configuration()
    const lanes = listLanes(findWarmUpFormats(config))
    if (lanes.length === 0 || !(await this.#untilQuiet())) return
    // What the start has left goes back first: to give back memory later would take the compiled code with it.
    this.#returnMemory()
    const { folder, remove } = makeFolder(config.dataFolder)
    setGrowthFactor(1)
    try {
      await this.#warmUp(folder, lanes)
    } finally {
      setGrowthFactor(DEFAULT_GROWTH_FACTOR)
      remove()
    }
  }

  #returnMemory(): void {
    if (globalThis.gc === undefined) return
    globalThis.gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    this.hasReturnedMemory = true
  }

  async #warmUp(folder: string, lanes: readonly WarmUpLane[]): Promise<void> {
    await using cleanup = new AsyncDisposableStack()
    const { config } = this.#options.app.configuration()
    const identity = isWarmUpSecure(config)
      ? createLoopbackIdentity(systemClock.nowMs(), systemRandom)
      : undefined
    const thread = new WarmUpThread({ identity })
    cleanup.defer(() => thread.close())
    // What is waited for then fails.
    const stop = () => void thread.close()
    this.#signal.addEventListener('abort', stop)
    cleanup.defer(() => this.#signal.removeEventListener('abort', stop))
    const upstream = { origin: await thread.readOrigin(), certificate: identity?.cert }
    for (let number = 1, goesOn = true; goesOn && number <= GATEWAYS; number += 1) {
      const ownFolder = join(folder, String(number))
      mkdirSync(ownFolder, { mode: 0o700 })
      const terms = { folder: ownFolder, upstream, isCharged: number % 2 === 1 }
      goesOn = await this.#useGateway(thread, terms, lanes)
    }
  }

  /**
   * Opens a gateway and has it serve its share of the time; false where the warm-up is to end. Several serve one after
   * the other, so that V8 takes neither the first one's functions for the only ones, nor what happens with a gateway's
   * first request for something that never happens.
   */
  async #useGateway(
    thread: WarmUpThread,
    terms: Pick<WarmUpInput, 'folder' | 'upstream' | 'isCharged'>,
    lanes: readonly WarmUpLane[],
  ): Promise<boolean> {
    await using cleanup = new AsyncDisposableStack()
    const untilWorkedMs = this.#workedMs + WORK_MS / GATEWAYS
    const startedAtMs = systemClock.monotonicMs()
    const { app: served, version } = this.#options
    const { config } = served.configuration()
    const secret = systemRandom.bytes(SECRET_BYTES).toString('hex')
    const warmUpConfig = await loadWarmUpConfig({ ...terms, config, secret })
    const app = await openApp({
      config: warmUpConfig,
      version,
      printError: () => undefined,
      logFile: devNull,
    })
    cleanup.defer(() => app.close(0))
    thread.useGateway({ url: app.url, secret })
    this.#workedMs += systemClock.monotonicMs() - startedAtMs
    for (let batch = 0; this.#workedMs < untilWorkedMs; batch += 1) {
      const lane = lanes[batch % lanes.length]
      if (lane === undefined || !(await this.#untilQuiet())) return false
      const endsConnections = lane === lanes.at(-1)
      await this.#send(thread, { lane, requests: REQUESTS_OF_BATCH, endsConnections })
    }
    return true
  }

  async #send(thread: WarmUpThread, batch: WarmUpBatch): Promise<void> {
    const startedAtMs = systemClock.monotonicMs()
    const failures = await thread.sendBatch(batch)
    if (failures > 0) throw new WarmUpError(`${failures} requests failed`)
    this.#workedMs += systemClock.monotonicMs() - startedAtMs
  }

  /** Waits until nobody asks; false where the warm-up is to end. */
  async #untilQuiet(): Promise<boolean> {
    const { app } = this.#options
    let isQuiet = this.#workedMs > 0 && app.activeCount() === 0
    while (!isQuiet && systemClock.monotonicMs() < this.#giveUpAtMs && !this.#signal.aborted) {
      const before = performance.eventLoopUtilization()
      await pauseUnless(QUIET_MS, this.#signal)
      // Callers of short requests leave moments without any.
      const { utilization } = performance.eventLoopUtilization(before)
      isQuiet = app.activeCount() === 0 && utilization < BUSY_SHARE
    }
    return isQuiet && !this.#signal.aborted
  }
}

/**
 * Sets how V8 enlarges the space of new objects when many of them survive. It never gives that memory back while the
 * process is idle, so that the warm-up would leave 60 MB behind: its requests do without a larger space.
 */
function setGrowthFactor(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`)
}

/** Waits for a time, or until the signal. */
function pauseUnless(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      timer.cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = systemClock.startTimer(delayMs, end)
    signal.addEventListener('abort', end)
  })
}

/** Callers of every format to a channel of each, each whole and as a stream. */
function listLanes(formats: readonly FormatId[]): readonly WarmUpLane[] {
  return formats.flatMap((channel) =>
    formatIds.flatMap((caller) => {
      const both = [false, true].map((isStream) => ({ caller, channel, isStream }))
      return caller === channel ? Array.from({ length: BATCHES_OF_OWN_FORMAT }, () => both).flat() : both
    }),
  )
}

/** A folder of this process alone. Those of processes that were killed are removed. */
function makeFolder(dataFolder: string): { readonly folder: string; remove(): void } {
  for (const name of readdirSync(dataFolder))
    if (name.startsWith(FOLDER_PREFIX) && !isRunning(Number(name.slice(FOLDER_PREFIX.length))))
      rmSync(join(dataFolder, name), { recursive: true, force: true })
  const folder = join(dataFolder, `${FOLDER_PREFIX}${process.pid}`)
  mkdirSync(folder, { mode: 0o700 })
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user runs, too.
    return errorCodeOf(error) === 'EPERM'
  }
}
