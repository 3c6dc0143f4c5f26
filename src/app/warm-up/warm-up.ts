import { mkdirSync, rmSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { type FormatId, formatIds } from '../../canonical/format.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { systemClock } from '../../kit/time/clock.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import { dropLeftFolders, makeWorkFolder } from '../../storage/files/work-folders.ts'
import type { ThreadSource } from '../../storage/sqlite/program-thread.ts'
import { type App, openApp } from '../app.ts'
import { loadFolderThreads } from '../open-data-folder.ts'
import { createLoopbackIdentity } from './loopback-identity.ts'
import {
  findWarmUpFormats,
  isWarmUpSecure,
  loadWarmUpConfig,
  type WarmUpInput,
} from './warm-up-configuration.ts'
import type { WarmUpBatch, WarmUpLane } from './warm-up-protocol.ts'
import { WarmUpError, WarmUpThread } from './warm-up-thread.ts'

/** The warm-up starts this long after the gateway is ready, and continues this long after a request. */
const QUIET_MS = 1_000
/** The event loop is considered busy from this share of that time. */
const BUSY_SHARE = 0.2
/** The working time of the warm-up, without its waits. It ends within ten seconds after a start on one core. */
const WORK_MS = 8_000
/** A process that callers have used for this long is warm, or too busy for a warm-up. */
const GIVE_UP_MS = MINUTE_MS
/** The number of gateways that are used, one after the other. */
const GATEWAYS = 3
const REQUESTS_OF_BATCH = 25
/**
 * Requests in the channel's own format are served without translation, and most callers use them. They get more
 * batches.
 */
const BATCHES_OF_OWN_FORMAT = 4
/** The default of V8. */
const DEFAULT_GROWTH_FACTOR = 2
const SECRET_BYTES = 24
const FOLDER_PREFIX = 'warm-up-'

export interface WarmUpOptions {
  /** The gateway that serves callers. */
  readonly app: Pick<App, 'activeCount' | 'configuration'>
  readonly version: string
  readonly printError: (line: string) => void
  /**
   * The threads of the gateway that serves callers. The warm-up's gateways use them too, so that their code gets warm
   * as well. Without them the warm-up loads threads for itself.
   */
  readonly threads?: ThreadSource
}

export interface WarmUp {
  /**
   * Fulfilled when the warm-up has ended. The value says whether the memory left over from the start was given back.
   */
  readonly ended: Promise<boolean>
  stop(): Promise<void>
}

/**
 * Makes V8 compile the code of requests before the first caller arrives. Other gateways with the same code, in this
 * process, serve requests of every format to channels of the formats in use (decision 0044). The warm-up waits while
 * callers are served.
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

interface WarmUpTerms extends Pick<WarmUpInput, 'folder' | 'upstream' | 'isCharged'> {
  readonly threads: ThreadSource
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
    // The memory left over from the start is given back first. Later, that would also discard the compiled code.
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
    // A pending wait fails then.
    const stop = () => void thread.close()
    this.#signal.addEventListener('abort', stop)
    cleanup.defer(() => this.#signal.removeEventListener('abort', stop))
    const threads = this.#options.threads ?? loadOwnThreads(cleanup)
    const upstream = { origin: await thread.readOrigin(), certificate: identity?.cert }
    for (let number = 1, goesOn = true; goesOn && number <= GATEWAYS; number += 1) {
      const ownFolder = join(folder, String(number))
      mkdirSync(ownFolder, { mode: 0o700 })
      const terms = { folder: ownFolder, upstream, isCharged: number % 2 === 1, threads }
      goesOn = await this.#useGateway(thread, terms, lanes)
    }
  }

  /**
   * Opens a gateway and lets it serve its share of the time. Returns false if the warm-up must end. Several gateways
   * serve one after the other. Otherwise V8 would treat the functions of the first gateway as the only ones, and code
   * that runs at a gateway's first request as code that never runs.
   */
  async #useGateway(
    thread: WarmUpThread,
    { threads, ...terms }: WarmUpTerms,
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
      threads,
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

  /** Waits until there are no requests. Returns false if the warm-up must end. */
  async #untilQuiet(): Promise<boolean> {
    const { app } = this.#options
    let isQuiet = this.#workedMs > 0 && app.activeCount() === 0
    while (!isQuiet && systemClock.monotonicMs() < this.#giveUpAtMs && !this.#signal.aborted) {
      const before = performance.eventLoopUtilization()
      await pauseUnless(QUIET_MS, this.#signal)
      // Between short requests there are moments without any, so the load of the event loop is checked too.
      const { utilization } = performance.eventLoopUtilization(before)
      isQuiet = app.activeCount() === 0 && utilization < BUSY_SHARE
    }
    return isQuiet && !this.#signal.aborted
  }
}

function loadOwnThreads(cleanup: AsyncDisposableStack): ThreadSource {
  const threads = loadFolderThreads()
  cleanup.defer(() => threads.close())
  return threads
}

/**
 * Sets how V8 grows the space for new objects when many of them survive. V8 never gives that memory back while the
 * process is idle, so the warm-up would leave 60 MB in use. Its requests do not need a larger space.
 */
function setGrowthFactor(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`)
}

/** Waits for a time, or until the signal is aborted. */
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

/** Lists the lanes: callers of every format to a channel of each format, streamed and not. */
function listLanes(formats: readonly FormatId[]): readonly WarmUpLane[] {
  return formats.flatMap((channel) =>
    formatIds.flatMap((caller) => {
      const both = [false, true].map((isStream) => ({ caller, channel, isStream }))
      return caller === channel ? Array.from({ length: BATCHES_OF_OWN_FORMAT }, () => both).flat() : both
    }),
  )
}

/** Creates a folder for this process. Folders of killed processes are removed. */
function makeFolder(dataFolder: string): { readonly folder: string; remove(): void } {
  dropLeftFolders(dataFolder, FOLDER_PREFIX)
  const folder = makeWorkFolder(dataFolder, FOLDER_PREFIX)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
