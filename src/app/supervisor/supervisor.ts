// The small process that starts the others, hands them their connections, and replaces those that die.
import { OperatorError } from '../../canonical/operator-error.ts'
import type { Config } from '../../config/config.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { systemClock, type Timer } from '../../kit/time/clock.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { ListenSetting } from '../listen-error.ts'
import type { PartType } from '../workers/part-messages.ts'
import type { MetricsDump } from '../workers/process-part.ts'
import { type PartCommand, type PartEvents, PartProcess, type PublicConnection } from './part-process.ts'
import { openPublicSockets, type PublicSockets } from './public-sockets.ts'
import { chooseIdlest } from './spread-connections.ts'

export interface SupervisorOptions {
  readonly command: PartCommand
  readonly activated: readonly number[]
  /** Prints a line for the operator. */
  readonly print: (line: string) => void
  /** Called where processes end again and again. */
  readonly onHopeless: (reason: string) => void
}

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 5_000
/** The failures of one part, one after the other before it could serve, that end it all. */
const MAX_FAILED_STARTS = 8
/** The deaths of all processes within a minute that end it all. */
const MAX_DEATHS_A_MINUTE = 60
const METRICS_WITHIN_MS = 2_000
/** The connections that wait while no process takes any. */
const MAX_WAITING_CONNECTIONS = 4_096
/** The time that open connections of a replaced process get to end. */
const RETIRE_LIMIT_MS = 10 * MINUTE_MS
const ID_BYTES = 4

interface Collection {
  readonly dumps: MetricsDump[]
  missing: number
  readonly finish: () => void
}

export class Supervisor {
  readonly #options: SupervisorOptions
  #config: Config
  #sockets: PublicSockets | undefined
  readonly #parts = new Set<PartProcess>()
  readonly #waiting: PublicConnection[] = []
  readonly #collections = new Map<number, Collection>()
  readonly #failedStarts = new Map<PartType, number>()
  readonly #retries = new Set<Timer>()
  #deaths: number[] = []
  #turn = 0
  #nextCollection = 0
  #isEnding = false
  /** Whether nobody serves callers any more. */
  #isClosed = false
  #restarting: Promise<void> | undefined

  constructor(config: Config, options: SupervisorOptions) {
    this.#config = config
    this.#options = options
  }

  /** Fulfilled once callers are served; fails with the reason for which a process refused to start. */
  async start(): Promise<void> {
    this.#sockets = await openPublicSockets(this.#config, {
      activated: this.#options.activated,
      onConnection: (setting, socket) => this.#accept({ setting, socket }),
      reportFault: (source, error) => this.#options.print(`headgate: ${source}: ${String(error)}`),
    })
    if (this.#ownsFiles) await this.#started(this.#spawn('owner'))
    const workers = Array.from({ length: this.#workers }, () => this.#spawn(this.#serving))
    await Promise.all(workers.map((worker) => this.#started(worker)))
    this.#welcome()
  }

  /** Replaces all processes by new ones, one kind after the other, while callers are served. */
  restart(config: Config): Promise<void> {
    const before = this.#restarting ?? Promise.resolve()
    this.#restarting = before.then(() => this.#replaceAll(config))
    return this.#restarting
  }

  /** Ends all: those that serve callers first, then the one that they write to. */
  async close(limitMs: number): Promise<void> {
    this.#isEnding = true
    for (const timer of this.#retries) timer.cancel()
    const serving = [...this.#parts].filter(({ order }) => order.part !== 'owner')
    for (const part of serving) this.#end(part, limitMs)
    await Promise.all(serving.map(({ exited }) => exited))
    this.#sockets?.close()
    this.#isClosed = true
    for (const { socket } of this.#waiting.splice(0)) socket.destroy()
    const left = [...this.#parts]
    for (const part of left) this.#end(part, limitMs)
    await Promise.all(left.map(({ exited }) => exited))
  }

  /** Ends all processes at once. */
  kill(): void {
    for (const part of this.#parts) part.kill('SIGKILL')
  }

  get #ownsFiles(): boolean {
    return this.#config.database === undefined
  }

  get #serving(): 'worker' | 'node' {
    return this.#ownsFiles ? 'worker' : 'node'
  }

  get #workers(): number {
    return this.#config.workers ?? 1
  }

  #spawn(part: PartType): PartProcess {
    const order = {
      part,
      workers: this.#workers,
      ports: this.#sockets?.ports ?? {},
      id: `${part}-${systemRandom.bytes(ID_BYTES).toString('hex')}`,
    }
    const started = new PartProcess(this.#options.command, order, {
      onMessage: (from, message) => this.#receive(from, message),
      onExit: (from, how) => this.#onExit(from, how),
      onLeft: (connections) => this.#spreadAll(connections),
    })
    this.#parts.add(started)
    return started
  }

  /** Fulfilled once the process serves. */
  async #started(part: PartProcess): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onReady.set(part, resolve)
    await Promise.race([promise, part.exited])
    this.#onReady.delete(part)
    if (part.state === 'starting' || part.state === 'ended')
      throw new OperatorError(
        'processes_unusable',
        part.refusal ?? `${nameOf(part.order.part)} ended at its start`,
      )
  }

  readonly #onReady = new Map<PartProcess, () => void>()

  async #replaceAll(config: Config): Promise<void> {
    const old = [...this.#parts]
    this.#config = config
    // The owner takes the files over from the one before it, which ends by itself; workers wait for it meanwhile.
    if (this.#ownsFiles) await this.#started(this.#spawn('owner'))
    const fresh = Array.from({ length: this.#workers }, () => this.#spawn(this.#serving))
    await Promise.all(fresh.map((part) => this.#started(part)))
    for (const part of old) {
      if (part.order.part === 'owner' || part.state === 'ended') continue
      part.state = 'retiring'
      part.send({ type: 'retire', limitMs: RETIRE_LIMIT_MS })
    }
  }

  #receive(part: PartProcess, message: Parameters<PartEvents['onMessage']>[1]): void {
    switch (message.type) {
      case 'loaded':
        return
      case 'ready':
        part.state = 'ready'
        this.#failedStarts.set(part.order.part, 0)
        this.#onReady.get(part)?.()
        this.#spreadAll(this.#waiting.splice(0))
        return
      case 'refused':
        part.refusal = message.reason
        return
      case 'taken-over':
        part.state = 'ending'
        return
      case 'load':
        part.active = message.active
        part.received = message.received
        return
      case 'collect-metrics':
        void this.#collect(part, message.id)
        return
      case 'dumped-metrics':
        this.#onDump(message.id, message.dump)
    }
  }

  #onExit(part: PartProcess, how: string): void {
    this.#parts.delete(part)
    const { order, startedAtMs } = part
    const livedMs = systemClock.monotonicMs() - startedAtMs
    const wasExpected = this.#isEnding || this.#onReady.has(part) || livedMs < 0
    if (part.refusal === undefined && !wasExpected && this.#isMissed(part)) this.#replace(part, how)
    else if (!wasExpected && part.refusal !== undefined && this.#isMissed(part))
      this.#replace(part, part.refusal)
    if (order.part === 'worker' || order.part === 'node') this.#spreadAll(this.#waiting.splice(0))
  }

  /** Whether there are fewer processes of its kind than there should be. */
  #isMissed({ order: { part } }: PartProcess): boolean {
    const count = [...this.#parts].filter(
      ({ order, state }) => order.part === part && (state === 'starting' || state === 'ready'),
    ).length
    return count < (part === 'owner' ? 1 : this.#workers)
  }

  #replace({ order: { part }, pid }: PartProcess, how: string): void {
    const failed = (this.#failedStarts.get(part) ?? 0) + 1
    this.#failedStarts.set(part, failed)
    const nowMs = systemClock.monotonicMs()
    this.#deaths = [...this.#deaths.filter((atMs) => nowMs - atMs < MINUTE_MS), nowMs]
    const { print, onHopeless } = this.#options
    if (failed > MAX_FAILED_STARTS || this.#deaths.length > MAX_DEATHS_A_MINUTE) {
      onHopeless(`${nameOf(part)} ended ${failed} times before it could serve, at last with ${how}`)
      return
    }
    const pauseMs = failed === 1 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failed - 2))
    print(`headgate: warning: ${nameOf(part)} (process ${pid}) ended with ${how}; another one takes its part`)
    const timer = systemClock.startTimer(pauseMs, () => {
      this.#retries.delete(timer)
      if (!this.#isEnding) this.#spawn(part)
    })
    this.#retries.add(timer)
  }

  #end(part: PartProcess, limitMs: number): void {
    part.state = 'ending'
    part.send({ type: 'end', limitMs })
    // A process that does not end is ended.
    systemClock.startTimer(limitMs + MAX_PAUSE_MS, () => part.kill('SIGKILL'))
  }

  #welcome(): void {
    const [first] = [...this.#parts].filter(({ order }) => order.part !== 'worker')
    first?.send({ type: 'welcome' })
  }

  #accept(connection: PublicConnection): void {
    // An error before the hand-over is as good as the end of the connection.
    connection.socket.on('error', () => undefined)
    this.#spread(connection)
  }

  #spread(connection: PublicConnection): void {
    const { setting, socket } = connection
    const candidates = [...this.#parts].filter((part) => accepts(part, setting))
    const chosen = chooseIdlest(candidates, this.#turn)
    this.#turn += 1
    if (chosen !== undefined) {
      chosen.hand(connection)
      return
    }
    if (this.#isClosed || this.#waiting.length >= MAX_WAITING_CONNECTIONS) socket.destroy()
    else this.#waiting.push(connection)
  }

  #spreadAll(connections: readonly PublicConnection[]): void {
    for (const each of connections) this.#spread(each)
  }

  /** Gathers what the other processes have counted, for the one that was asked. */
  async #collect(asker: PartProcess, id: number): Promise<void> {
    this.#nextCollection += 1
    const number = this.#nextCollection
    const others = [...this.#parts].filter((part) => part !== asker && part.state !== 'starting')
    const { promise, resolve } = Promise.withResolvers<void>()
    const collection: Collection = { dumps: [], missing: others.length, finish: resolve }
    this.#collections.set(number, collection)
    const limit = systemClock.startTimer(METRICS_WITHIN_MS, resolve)
    for (const part of others) part.send({ type: 'dump-metrics', id: number })
    if (others.length > 0) await promise
    limit.cancel()
    this.#collections.delete(number)
    asker.send({ type: 'metrics', id, dumps: collection.dumps })
  }

  #onDump(id: number, dump: MetricsDump): void {
    const collection = this.#collections.get(id)
    if (collection === undefined) return
    collection.dumps.push(dump)
    collection.missing -= 1
    if (collection.missing === 0) collection.finish()
  }
}

/** Whether a process takes connections to an address: operators' go to the owner where there is one. */
function accepts({ state, order: { part } }: PartProcess, setting: ListenSetting): boolean {
  if (state !== 'ready') return false
  return part === 'node' || (setting === 'listen' ? part === 'worker' : part === 'owner')
}

function nameOf(part: PartType): string {
  return part === 'owner' ? 'the process that owns the files' : 'a process that serves callers'
}
