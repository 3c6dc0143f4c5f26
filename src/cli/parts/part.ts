import { type App, openApp } from '../../app/app.ts'
import { startWarmUp, type WarmUp } from '../../app/warm-up/warm-up.ts'
import { ArrivedConnections } from '../../app/workers/arrived-connections.ts'
import { type OpenedPart, openPart } from '../../app/workers/open-part.ts'
import type { FromPart, PartOrder, ToPart } from '../../app/workers/part-messages.ts'
import type { MetricsDump } from '../../app/workers/process-part.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { loadConfig } from '../../config/load-config.ts'
import { pause, systemClock } from '../../kit/time/clock.ts'
import { describeError, writeFailure } from '../output/describe-error.ts'
import { endOnFault } from '../process/end-on-fault.ts'
import { printWelcome } from '../process/print-welcome.ts'
import { returnMemory } from '../process/return-memory.ts'
import { buildConsole } from '../process/start-console-build.ts'
import type { ServeInput } from '../serve.ts'

/** The time after which a process with an internal fault ends in any case. */
const CLOSE_LIMIT_MS = 5_000
/** The time for operators' requests in flight where another process takes over the files. */
const SUCCESSION_LIMIT_MS = 1_000
const REPORT_EVERY_MS = 20
const COLLECT_WITHIN_MS = 3_000

/** The way in which a process is asked to end. */
type End =
  /** Undefined: the time from the configuration. */
  | { readonly type: 'end'; readonly limitMs: number | undefined }
  | { readonly type: 'retire'; readonly limitMs: number }
  /** The supervisor is gone, and all other processes end as well. */
  | { readonly type: 'orphaned' }
  | { readonly type: 'taken-over' }

/** `headgate part`: one process of several. A supervisor starts the process and gives it its role. */
export async function partCommand(input: ServeInput): Promise<number> {
  process.on('SIGUSR1', () => undefined)
  // The supervisor gets these signals as well, and ends its processes in order.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  return new Part(input).run()
}

class Part {
  readonly #input: ServeInput
  readonly #end = Promise.withResolvers<End>()
  readonly #succeeded = Promise.withResolvers<void>()
  readonly #order = Promise.withResolvers<PartOrder>()
  readonly #connections = new ArrivedConnections()
  readonly #collections = new Map<number, (dumps: readonly MetricsDump[]) => void>()
  readonly #faults
  #part: OpenedPart | undefined
  #warming: WarmUp | undefined
  #app: App | undefined
  #closing: Promise<void> | undefined
  #lastActive = 0
  /** Fulfilled when a retiring process is to end. */
  readonly #retired = Promise.withResolvers<void>()
  #received = 0
  #lastReceived = 0
  #nextCollection = 0

  constructor(input: ServeInput) {
    this.#input = input
    this.#faults = endOnFault({
      terminal: input.terminal,
      endFor: () => this.#end.resolve({ type: 'end', limitMs: undefined }),
      closeLimitMs: CLOSE_LIMIT_MS,
    })
    // The message is not checked, because the other side is the same program.
    process.on('message', (message: ToPart, handle) => this.#receive(message, handle))
    // Without a supervisor no new connections arrive, and another supervisor may wait for the files.
    process.on('disconnect', () => {
      this.#retired.resolve()
      this.#end.resolve({ type: 'orphaned' })
    })
  }

  async run(): Promise<number> {
    if (process.send === undefined) {
      this.#input.terminal.printError(
        'headgate: this command is for a supervisor: headgate serve --workers 2',
      )
      return 1
    }
    send({ type: 'loaded' })
    const order = await this.#order.promise
    if (!(await this.#open(order))) {
      // The channel to the supervisor would keep this process alive.
      if (process.connected) process.disconnect()
      return 1
    }
    this.#input.onServing()
    void this.#warmUp(order)
    this.#report()
    send({ type: 'ready' })
    const end = await this.#end.promise
    await Promise.all([this.#finish(end), this.#warming?.stop()])
    await this.#sendLastMetrics()
    if (process.connected) process.disconnect()
    return this.#faults.exitCode
  }

  async #open(order: PartOrder): Promise<boolean> {
    const { loadInput, terminal, version } = this.#input
    try {
      const config = await loadConfig(loadInput)
      this.#part = openPart(order, config, {
        onSuccessor: () => this.#onSuccessor(),
        collectMetrics: () => this.#collect(),
      })
      const isConsole = order.part !== 'worker'
      const consoleBuild = isConsole ? buildConsole(loadInput.environment, terminal) : undefined
      this.#app = await openApp({
        config,
        version,
        printError: terminal.printError,
        part: this.#part,
        ...(consoleBuild && { consoleBuild }),
      })
      this.#faults.serve(this.#app)
      return true
    } catch (error) {
      terminal.printError(writeFailure(error))
      send({ type: 'refused', reason: describeError(error) })
      return false
    }
  }

  /** Warms up a worker. The process that owns the files serves only operators, and needs no warm-up. */
  async #warmUp({ part }: PartOrder): Promise<void> {
    const { terminal, version } = this.#input
    const app = this.#app
    if (part !== 'owner' && app?.configuration().config.warmsUp === true)
      this.#warming = startWarmUp({ app, version, printError: terminal.printError })
    const hasReturnedMemory = await this.#warming?.ended
    returnMemory(systemClock, hasReturnedMemory !== true)
  }

  #welcome(): void {
    const { terminal, loadInput } = this.#input
    const isTerminal = process.stdout.isTTY === true
    if (this.#app !== undefined) printWelcome(this.#app, terminal, { ...loadInput, isTerminal })
  }

  #receive(message: ToPart, handle: unknown): void {
    switch (message.type) {
      case 'begin':
        this.#order.resolve(message.order)
        return
      case 'connection':
        this.#miss(this.#connections.arrived(message.number))
        this.#received += 1
        send({ type: 'taken', number: message.number })
        if (isSocket(handle)) this.#part?.connections[message.setting].adopt(handle)
        return
      case 'check-connections':
        this.#miss(this.#connections.missedUpTo(message.sent))
        return
      case 'welcome':
        this.#welcome()
        return
      case 'end':
        this.#retired.resolve()
        this.#end.resolve(message)
        return
      case 'retire':
        this.#end.resolve(message)
        return
      case 'dump-metrics':
        void this.#dump(message.id)
        return
      case 'metrics':
        this.#collections.get(message.id)?.(message.dumps)
    }
  }

  #miss(numbers: readonly number[]): void {
    if (numbers.length === 0) return
    this.#received += numbers.length
    send({ type: 'missed', numbers })
  }

  async #finish(end: End): Promise<void> {
    if (end.type === 'taken-over') return this.#closing
    if (end.type === 'retire') await this.#retire(end.limitMs)
    const drainMs = this.#app?.configuration().config.drainMs ?? 0
    if (end.type === 'retire') return this.#close(drainMs)
    if (end.type === 'end') return this.#close(end.limitMs ?? drainMs)
    // Workers write their served requests until their own end.
    const limit = Promise.withResolvers<void>()
    const timer = systemClock.startTimer(drainMs + CLOSE_LIMIT_MS, limit.resolve)
    await Promise.race([this.#part?.usersGone(), this.#succeeded.promise, limit.promise])
    timer.cancel()
    await this.#close(drainMs)
  }

  async #retire(limitMs: number): Promise<void> {
    this.#app?.retire()
    const connections = this.#part?.connections
    const ended = Promise.all([connections?.listen.ended(), connections?.['admin.listen'].ended()])
    const { promise, resolve } = Promise.withResolvers<void>()
    systemClock.startTimer(limitMs, resolve)
    await Promise.race([ended, promise, this.#retired.promise])
  }

  #close(limitMs: number): Promise<void> {
    this.#closing ??= this.#app?.close(limitMs) ?? Promise.resolve()
    return this.#closing
  }

  async #onSuccessor(): Promise<void> {
    send({ type: 'taken-over' })
    await this.#close(SUCCESSION_LIMIT_MS)
    this.#succeeded.resolve()
    this.#end.resolve({ type: 'taken-over' })
  }

  /** Reports the number of requests. The supervisor hands the next connection to the process with the fewest. */
  #report(): void {
    const active = this.#app?.activeCount() ?? 0
    if (active !== this.#lastActive || this.#received !== this.#lastReceived)
      send({ type: 'load', active, received: this.#received })
    this.#lastActive = active
    this.#lastReceived = this.#received
    systemClock.startTimer(REPORT_EVERY_MS, () => this.#report())
  }

  async #dump(id: number): Promise<void> {
    if (this.#app !== undefined) send({ type: 'dumped-metrics', id, dump: await this.#app.dumpMetrics() })
  }

  /** The sums of this process belong to the metrics of the installation after its end. */
  async #sendLastMetrics(): Promise<void> {
    if (this.#app === undefined || !process.connected) return
    const message = { type: 'dumped-metrics', dump: await this.#app.dumpMetrics() } satisfies FromPart
    await new Promise((resolve) => process.send?.(message, undefined, undefined, resolve))
  }

  async #collect(): Promise<readonly MetricsDump[]> {
    this.#nextCollection += 1
    const id = this.#nextCollection
    const { promise, resolve } = Promise.withResolvers<readonly MetricsDump[]>()
    this.#collections.set(id, resolve)
    send({ type: 'collect-metrics', id })
    const dumps = await Promise.race([promise, pause(COLLECT_WITHIN_MS).then(() => undefined)])
    this.#collections.delete(id)
    // The sums of one process would look like counters that were reset.
    if (dumps === undefined) throw new GatewayError('shutting_down')
    return dumps
  }
}

function send(message: FromPart): void {
  // The failure is ignored: the supervisor is gone, which the `disconnect` event reports.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}

function isSocket(handle: unknown): handle is import('node:net').Socket {
  return typeof handle === 'object' && handle !== null && 'remoteAddress' in handle
}
