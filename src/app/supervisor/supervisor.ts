// The small process that starts the others, hands connections over to them, and replaces those that die.
import { OperatorError } from '../../canonical/operator-error.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { systemClock, type Timer } from '../../kit/time/clock.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { PartType } from '../workers/part-messages.ts'
import { MetricsCollections } from './metrics-collections.ts'
import { accepts, nameOfPart, type PartEvents, PartProcess, type PublicConnection } from './part-process.ts'
import { openPublicSockets, type PublicSockets } from './public-sockets.ts'
import { hopelessness, pauseAfter, type ShortLives } from './short-lives.ts'
import { chooseIdlest } from './spread-connections.ts'
import type { SupervisedConfig, SupervisorOptions } from './supervisor-options.ts'

/** The maximum number of connections that wait while no process accepts any. */
const MAX_WAITING_CONNECTIONS = 4_096
/** The maximum time for open connections of a replaced process. */
const RETIRE_LIMIT_MS = 10 * MINUTE_MS
/** The time after its limit that a process gets for its last writes. */
const LAST_WRITES_MS = 7_000
const ID_BYTES = 8

export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #name = systemRandom.bytes(ID_BYTES).toString('hex')
  #config: SupervisedConfig
  #sockets: PublicSockets | undefined
  readonly #parts = new Set<PartProcess>()
  readonly #waiting: PublicConnection[] = []
  readonly #collections = new MetricsCollections()
  readonly #retries = new Set<Timer>()
  #turn = 0
  /** Whether callers have been served. */
  #hasStarted = false
  #isEnding = false
  /** Whether callers are no longer served. */
  #isClosed = false
  #restarting: Promise<void> | undefined
  /** Whether the last new owner died at its start. The previous one may still hand its files over to it. */
  #hasLostSuccessor = false

  constructor(config: SupervisedConfig, options: SupervisorOptions) {
    this.#config = config
    this.#options = options
  }

  /** Fulfilled when callers are served. Fails with the reason why a process refused to start. */
  async start(): Promise<void> {
    this.#sockets = await openPublicSockets(this.#config, {
      activated: this.#options.activated,
      onConnection: (setting, socket) => this.#accept({ setting, socket }),
      reportFault: (source, error) => this.#options.print(`headgate: ${source}: ${String(error)}`),
    })
    if (this.#ownsFiles) await this.#started(this.#spawn('owner'))
    const workers = this.#spawnServing()
    await Promise.all(workers.map((worker) => this.#started(worker)))
    this.#hasStarted = true
    this.#welcome()
  }

  /** Replaces all processes by new ones, one kind after the other, while callers are served. */
  restart(config: SupervisedConfig): Promise<void> {
    const previousRestart = this.#restarting ?? Promise.resolve()
    // The failure is ignored: it was reported to the caller of that restart.
    this.#restarting = previousRestart.catch(() => undefined).then(() => this.#replaceAll(config))
    return this.#restarting
  }

  /** Ends all processes: first those that serve callers, then the owner, to which they write. */
  async close(limitMs: number): Promise<void> {
    this.#isEnding = true
    const serving = [...this.#parts].filter(({ order }) => order.part !== 'owner')
    for (const part of serving) this.#end(part, limitMs)
    await Promise.all(serving.map(({ exited }) => exited))
    this.#sockets?.close()
    this.#isClosed = true
    for (const timer of this.#retries) timer.cancel()
    for (const { socket } of this.#waiting.splice(0)) socket.destroy()
    const left = [...this.#parts]
    for (const part of left) this.#end(part, limitMs)
    await Promise.all(left.map(({ exited }) => exited))
  }

  /** Kills all processes at once. */
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

  /** Starts a process. `before` has the short lives of its predecessors. */
  #spawn(part: PartType, before?: ShortLives): PartProcess {
    const order = {
      part,
      supervisor: this.#name,
      workers: this.#workers,
      ports: this.#sockets?.ports ?? {},
      id: `${part}-${systemRandom.bytes(ID_BYTES).toString('hex')}`,
    }
    const events: PartEvents = {
      onMessage: (from, message) => this.#receive(from, message),
      onExit: (from, how) => this.#onExit(from, how),
      onMissed: (connections) => this.#spreadAll(connections),
      onLeft: (from, connections) => {
        this.#collections.onLeft(from)
        this.#spreadAll(connections)
      },
    }
    const started = new PartProcess(this.#options.command, order, { events, before })
    this.#parts.add(started)
    return started
  }

  /** Starts the processes that serve callers. Throws if all are to end. */
  #spawnServing(): readonly PartProcess[] {
    this.#requireTime()
    return Array.from({ length: this.#workers }, () => this.#spawn(this.#serving))
  }

  #requireTime(): void {
    if (this.#isEnding) throw new OperatorError('processes_unusable', 'the server is ending')
  }

  /** Fulfilled when the process serves. */
  async #started(part: PartProcess): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onReady.set(part, resolve)
    await Promise.race([promise, part.exited])
    this.#onReady.delete(part)
    if (part.state === 'starting' || part.state === 'ended')
      throw new OperatorError(
        'processes_unusable',
        part.refusal ?? `${nameOfPart(part.order.part)} ended at its start`,
      )
  }

  readonly #onReady = new Map<PartProcess, () => void>()

  async #replaceAll(config: SupervisedConfig): Promise<void> {
    this.#requireTime()
    const previous = this.#config
    this.#config = config
    // Those that were started for processes that died in the meantime are among the old ones.
    let old: readonly PartProcess[] = []
    let fresh: readonly PartProcess[] = []
    try {
      // The new owner takes the files over from the previous one, which then ends by itself. Workers wait for that.
      if (this.#ownsFiles) await this.#succeedOwner()
      old = [...this.#parts]
      fresh = this.#spawnServing()
      await Promise.all(fresh.map((part) => this.#started(part)))
    } catch (error) {
      this.#config = previous
      // A new owner that has the files stays, since the previous one no longer has them.
      this.#retire(fresh)
      throw error
    }
    this.#retire(old)
  }

  async #succeedOwner(): Promise<void> {
    this.#hasLostSuccessor = false
    try {
      await this.#started(this.#spawn('owner'))
    } catch (error) {
      this.#hasLostSuccessor = true
      throw error
    }
  }

  /** Retires processes that serve callers. Those that do not serve yet are killed at once. */
  #retire(parts: readonly PartProcess[]): void {
    for (const part of parts) {
      if (part.order.part === 'owner' || part.state === 'ended') continue
      if (part.state === 'starting') part.kill('SIGKILL')
      part.state = 'retiring'
      part.send({ type: 'retire', limitMs: RETIRE_LIMIT_MS })
    }
  }

  #receive(part: PartProcess, message: Parameters<PartEvents['onMessage']>[1]): void {
    switch (message.type) {
      case 'loaded':
        return
      case 'ready':
        part.setReady()
        this.#onReady.get(part)?.()
        this.#spreadAll(this.#waiting.splice(0))
        return
      case 'refused':
        part.refusal = message.reason
        return
      case 'taken-over':
        part.state = 'ending'
        part.isSucceeded = !this.#hasLostSuccessor || !this.#isMissed(part)
        return
      case 'load':
        part.active = message.active
        part.received = message.received
        return
      case 'collect-metrics':
        void this.#collections.collect(part, message.id, this.#parts)
        return
      case 'dumped-metrics':
        this.#collections.onDump(part, message.dump, message.id)
    }
  }

  #onExit(part: PartProcess, how: string): void {
    this.#parts.delete(part)
    if (this.#isToBeReplaced(part)) this.#replace(part, part.refusal ?? how)
    if (part.order.part !== 'owner') this.#spreadAll(this.#waiting.splice(0))
  }

  #isToBeReplaced(part: PartProcess): boolean {
    // A process that fails during the first start ends the whole start. A process that has handed over its files has a
    // successor already.
    const isFirst = !this.#hasStarted && this.#onReady.has(part)
    return !isFirst && !part.isSucceeded && this.#mayStart(part.order.part) && this.#isMissed(part)
  }

  /** While processes that serve callers are still ending, they write to the owner, so the owner may be replaced. */
  #mayStart(part: PartType): boolean {
    return !this.#isEnding || (part === 'owner' && !this.#isClosed)
  }

  /** Whether there are fewer processes of this kind than there should be. */
  #isMissed({ order: { part } }: PartProcess): boolean {
    const count = [...this.#parts].filter(
      ({ order, state }) => order.part === part && (state === 'starting' || state === 'ready'),
    ).length
    return count < (part === 'owner' ? 1 : this.#workers)
  }

  #replace(ended: PartProcess, how: string): void {
    const { order, pid, shortLives } = ended
    const { part } = order
    const { print, onHopeless } = this.#options
    const hopeless = hopelessness(shortLives)
    const isServed = [...this.#parts].some(({ order, state }) => order.part === part && state === 'ready')
    if (hopeless !== undefined && !isServed) {
      onHopeless(`${nameOfPart(part)} ${hopeless}, at last with ${how}`)
      return
    }
    print(
      `headgate: warning: ${nameOfPart(part)} (process ${pid}) ended with ${how}; another one takes its part`,
    )
    const timer = systemClock.startTimer(pauseAfter(shortLives), () => {
      this.#retries.delete(timer)
      if (this.#mayStart(part) && this.#isMissed(ended)) this.#spawn(part, shortLives)
    })
    this.#retries.add(timer)
  }

  #end(part: PartProcess, limitMs: number): void {
    part.state = 'ending'
    part.send({ type: 'end', limitMs })
    // A process that does not end in time is killed.
    systemClock.startTimer(limitMs + LAST_WRITES_MS, () => part.kill('SIGKILL'))
  }

  #welcome(): void {
    const [first] = [...this.#parts].filter(({ order }) => order.part !== 'worker')
    first?.send({ type: 'welcome' })
  }

  #accept(connection: PublicConnection): void {
    // An error before the hand-over has the same effect as a closed connection.
    connection.socket.on('error', () => undefined)
    this.#spread(connection)
  }

  #spread(connection: PublicConnection): void {
    const { setting, socket } = connection
    const candidates = [...this.#parts].filter((part) => accepts(part, setting))
    const roomy = candidates.filter(({ isFull }) => !isFull)
    const chosen = chooseIdlest(roomy.length > 0 ? roomy : candidates, this.#turn)
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
}
