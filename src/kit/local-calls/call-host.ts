import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { InvariantError } from '../errors/invariant-error.ts'
import type { Clock, Timer } from '../time/clock.ts'
import type { CallMessage, CallReply, FaultCodec } from './call-message.ts'
import { FrameSocket } from './frame-socket.ts'
import { type PublishedValue, RecentValues } from './recent-values.ts'

/** An object whose methods other processes may call, and the names of these methods. */
export interface CalledObject {
  readonly methods: ReadonlySet<string>
  /** Gives the object as the named process sees it. */
  readonly objectFor: (process: string) => object
}

export interface CallHostOptions {
  /** The file of the socket. Only the owner of the file can use it. */
  readonly path: string
  readonly objects: Readonly<Record<string, CalledObject>>
  readonly faults: FaultCodec
  readonly clock: Pick<Clock, 'startTimer'>
  /** Called when the last connection of a process has ended. */
  readonly onGone: (process: string) => void
  /** Called with a value that a process publishes. The host itself passes the value to the other processes. */
  readonly onPublished?: (topic: string, value: unknown) => void
  /** Whether a process that connects soon after others also gets the values of this topic that it has missed. */
  readonly isRepeated?: (topic: string) => boolean
  /** The values that no process has got from the previous host. */
  readonly earlier?: readonly PublishedValue[]
}

interface Caller {
  readonly frames: FrameSocket<CallReply, CallMessage>
  process: string
  running: number
  isPaused: boolean
  onIdle: (() => void) | undefined
  readonly received: Map<number, () => void>
}

/** The limit of the time that an announcement waits for a process that does not answer. */
const RECEIVED_WITHIN_MS = 2_000
/** The time in which all processes of the previous host connect to this one. */
const REPEATED_WITHIN_MS = 20_000
const OWNER_ONLY = 0o600
const MASK_OTHERS = 0o177

/** Lets other processes of this machine call objects of this process, over a Unix domain socket. */
export class CallHost {
  readonly #options: CallHostOptions
  readonly #server: Server
  readonly #callers = new Set<Caller>()
  readonly #objects = new Map<string, Map<string, object>>()
  readonly #recent = new RecentValues()
  #repeating: Timer | undefined
  #nextEvent = 0
  #onDeserted: (() => void) | undefined

  constructor(options: CallHostOptions) {
    this.#options = options
    this.#server = createServer((socket) => this.#accept(socket))
  }

  /** The number of connected processes. */
  get size(): number {
    return new Set([...this.#callers].map(({ process }) => process)).size
  }

  isConnected(process: string): boolean {
    return [...this.#callers].some((caller) => caller.process === process)
  }

  async listen(): Promise<void> {
    const { path } = this.#options
    rmSync(path, { force: true })
    // The mask keeps other users from connecting between the creation of the file and the change of its mode.
    const mask = process.umask(MASK_OTHERS)
    try {
      this.#server.listen(path)
    } finally {
      process.umask(mask)
    }
    this.#recent.begin(this.#options.earlier)
    this.#repeating = this.#options.clock.startTimer(REPEATED_WITHIN_MS, () => this.#recent.end())
    await once(this.#server, 'listening')
    chmodSync(path, OWNER_ONLY)
  }

  /** Sends an event to all processes except `except`. */
  publish(topic: string, value: unknown, except?: string): void {
    const isRepeated =
      this.#options.isRepeated?.(topic) === true && this.#recent.add({ topic, value, from: except })
    // A process that has not given its name yet gets a repeated value when it does.
    for (const caller of this.#callers)
      if (caller.process !== except && !(isRepeated && caller.process === ''))
        caller.frames.send({ type: 'event', id: undefined, topic, value })
  }

  /** Sends an event to all processes. Fulfilled once they have confirmed it, or after two seconds. */
  async announce(topic: string, value: unknown): Promise<void> {
    await Promise.all([...this.#callers].map((caller) => this.#announceTo(caller, topic, value)))
  }

  /**
   * Makes new calls wait for the successor, and answers the calls that have arrived. The successor still waits for
   * its own answer.
   */
  async pause(successor?: string): Promise<void> {
    this.#server.close()
    rmSync(this.#options.path, { force: true })
    const others = [...this.#callers].filter(({ process }) => process !== successor)
    const idle = others.map(async (caller) => {
      caller.frames.send({ type: 'pause' })
      await this.#whenIdle(caller)
    })
    await Promise.all(idle)
    for (const { frames } of others) frames.end()
    this.#repeating?.cancel()
    this.#recent.begin()
  }

  /** The values that were published after the others had disconnected. The successor publishes them. */
  unheard(): readonly PublishedValue[] {
    return this.#recent.list()
  }

  /** Fulfilled once no process is connected. */
  deserted(): Promise<void> {
    if (this.#callers.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onDeserted = resolve
    })
  }

  /** Closes at once. Calls in flight get no answer. */
  close(): void {
    this.#server.close()
    for (const { frames } of this.#callers) frames.destroy()
  }

  #accept(socket: Socket): void {
    const frames = new FrameSocket<CallReply, CallMessage>(socket, {
      onMessage: (message) => this.#receive(caller, message),
      onClose: () => this.#forget(caller),
    })
    const caller: Caller = {
      frames,
      process: '',
      running: 0,
      isPaused: false,
      onIdle: undefined,
      received: new Map(),
    }
    this.#callers.add(caller)
  }

  #receive(caller: Caller, message: CallMessage): void {
    switch (message.type) {
      case 'hello':
        caller.process = message.process
        this.#repeatTo(caller)
        return
      case 'call':
        void this.#answer(caller, message)
        return
      case 'publish':
        this.#options.onPublished?.(message.topic, message.value)
        this.publish(message.topic, message.value, caller.process)
        return
      case 'paused':
        caller.isPaused = true
        this.#checkIdle(caller)
        return
      case 'received':
        caller.received.get(message.id)?.()
    }
  }

  #repeatTo({ process, frames }: Caller): void {
    for (const { topic, value, from } of this.#recent.list())
      if (from !== process) frames.send({ type: 'event', id: undefined, topic, value })
  }

  async #answer(caller: Caller, { id, ...call }: Extract<CallMessage, { type: 'call' }>): Promise<void> {
    caller.running += 1
    try {
      caller.frames.send({ type: 'answer', id, value: await this.#perform(caller, call) })
    } catch (error) {
      caller.frames.send({ type: 'failed', id, fault: this.#options.faults.write(error) })
    }
    caller.running -= 1
    this.#checkIdle(caller)
  }

  async #perform(
    caller: Caller,
    { object: name, method, args }: Omit<Extract<CallMessage, { type: 'call' }>, 'id' | 'type'>,
  ): Promise<unknown> {
    const called = this.#options.objects[name]
    if (called?.methods.has(method) !== true) throw new InvariantError(`nothing answers ${name}.${method}`)
    const object = this.#objectOf(caller.process, name, called)
    const work: unknown = Reflect.get(object, method)
    if (typeof work !== 'function') throw new InvariantError(`nothing answers ${name}.${method}`)
    return Reflect.apply(work, object, args)
  }

  #objectOf(process: string, name: string, { objectFor }: CalledObject): object {
    const known = this.#objects.get(process) ?? new Map<string, object>()
    this.#objects.set(process, known)
    const object = known.get(name) ?? objectFor(process)
    known.set(name, object)
    return object
  }

  #announceTo(caller: Caller, topic: string, value: unknown): Promise<void> {
    this.#nextEvent += 1
    const id = this.#nextEvent
    const { promise, resolve } = Promise.withResolvers<void>()
    const limit = this.#options.clock.startTimer(RECEIVED_WITHIN_MS, resolve)
    caller.received.set(id, resolve)
    caller.frames.send({ type: 'event', id, topic, value })
    return promise.finally(() => {
      limit.cancel()
      caller.received.delete(id)
    })
  }

  #whenIdle(caller: Caller): Promise<void> {
    return new Promise((resolve) => {
      caller.onIdle = resolve
      this.#options.clock.startTimer(RECEIVED_WITHIN_MS, resolve)
      this.#checkIdle(caller)
    })
  }

  #checkIdle(caller: Caller): void {
    if (caller.isPaused && caller.running === 0) caller.onIdle?.()
  }

  #forget(caller: Caller): void {
    this.#callers.delete(caller)
    if (this.#callers.size === 0) this.#onDeserted?.()
    for (const resolve of caller.received.values()) resolve()
    caller.onIdle?.()
    if (this.isConnected(caller.process)) return
    this.#objects.delete(caller.process)
    this.#options.onGone(caller.process)
  }
}
