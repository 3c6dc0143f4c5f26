// One of several processes, from its supervisor's point of view.
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { systemClock, type Timer } from '../../kit/time/clock.ts'
import type { ListenSetting } from '../listen-error.ts'
import type { FromPart, PartOrder, PartType, ToPart } from '../workers/part-messages.ts'
import { addLife, noShortLives, type ShortLives } from './short-lives.ts'
import type { Load } from './spread-connections.ts'

export interface PartEvents {
  readonly onMessage: (part: PartProcess, message: Exclude<FromPart, { type: 'taken' | 'missed' }>) => void
  /** Called once, with the exit code or signal of the process. */
  readonly onExit: (part: PartProcess, how: string) => void
  /**
   * Called once when all messages of the process are read, with the connections that it did not accept. Nothing was
   * read from these connections.
   */
  readonly onLeft: (part: PartProcess, connections: readonly PublicConnection[]) => void
  /** Called with connections that the process cannot open. Nothing was read from them. */
  readonly onMissed: (connections: readonly PublicConnection[]) => void
}

/** A connection that the supervisor has accepted. Nothing has been read from it. */
export interface PublicConnection {
  readonly setting: ListenSetting
  readonly socket: Socket
}

/** The command line that starts processes. */
export interface PartCommand {
  readonly script: string
  readonly args: readonly string[]
}

/** The time after which the process is asked for connections that it has not accepted. */
const CHECK_AFTER_MS = 250
/** The time during which a process that could not open a connection gets others only if all are in this state. */
const FULL_FOR_MS = 1_000

export class PartProcess implements Load {
  readonly order: PartOrder
  /** Whether another process has taken over the role of this one. */
  isSucceeded = false
  #readyAtMs: number | undefined
  /** The short lives of its predecessors. */
  readonly #before: ShortLives
  state: 'starting' | 'ready' | 'retiring' | 'ending' | 'ended' = 'starting'
  active = 0
  /** The number of connections that the process has reported as received. `#sent` is the number sent to it. */
  received = 0
  /** The connections handed over that the process has not accepted yet, by number. */
  readonly #handed = new Map<number, PublicConnection>()
  #sent = 0
  #check: Timer | undefined
  #fullUntilMs = 0
  /** The reason that the process gave for its refusal to start. */
  refusal: string | undefined
  readonly #child: ChildProcess
  readonly #exited = Promise.withResolvers<void>()

  constructor(
    { script, args }: PartCommand,
    order: PartOrder,
    {
      events,
      before = noShortLives,
    }: { readonly events: PartEvents; readonly before: ShortLives | undefined },
  ) {
    this.order = order
    this.#before = before
    this.#child = fork(script, [...args, order.part], {
      execArgv: process.execArgv,
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    // Both sides run the same program, so the message has this type.
    this.#child.on('message', (message: FromPart) => this.#receive(message, events))
    // An exit follows, or the process never started.
    this.#child.on('error', () => undefined)
    this.#child.once('exit', (code, signal) => {
      this.state = 'ended'
      this.#exited.resolve()
      events.onExit(this, signal === null ? `exit code ${code}` : `signal ${signal}`)
    })
    this.#child.once('close', () => {
      const left = [...this.#handed.values()]
      this.#handed.clear()
      events.onLeft(this, left)
    })
    this.send({ type: 'begin', order })
  }

  /** The short lives of this process and its predecessors. Read it after the process has ended. */
  get shortLives(): ShortLives {
    const readyAtMs = this.#readyAtMs
    return addLife(this.#before, readyAtMs === undefined ? undefined : systemClock.monotonicMs() - readyAtMs)
  }

  /** Marks the process as serving, unless it is to end. */
  setReady(): void {
    if (this.state === 'starting') this.state = 'ready'
    this.#readyAtMs = systemClock.monotonicMs()
  }

  get unreported(): number {
    return this.#sent - this.received
  }

  /** Whether it could lately not open a connection, for lack of file descriptors. */
  get isFull(): boolean {
    return systemClock.monotonicMs() < this.#fullUntilMs
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get exited(): Promise<void> {
    return this.#exited.promise
  }

  send(message: ToPart): void {
    // The failure is ignored: the process has ended, and its exit is reported separately.
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  /**
   * Hands a connection over. It also stays open here until the process has accepted it: Node forgets a connection that
   * it has sent to a dying process, and leaves it open (lib/internal/child_process.js of Node 24, seen 2026-11-25).
   */
  hand(connection: PublicConnection): void {
    this.#sent += 1
    const number = this.#sent
    const { setting, socket } = connection
    this.#handed.set(number, connection)
    this.#checkLater()
    this.#child.send(
      { type: 'connection', setting, number } satisfies ToPart,
      socket,
      { keepOpen: true },
      (error) => {
        // If the process has ended, its connections go to another one.
        if (error !== null && this.#child.connected) this.#withdraw(number)
      },
    )
  }

  #checkLater(): void {
    this.#check ??= systemClock.startTimer(CHECK_AFTER_MS, () => {
      this.#check = undefined
      if (this.#handed.size === 0) return
      this.send({ type: 'check-connections', sent: this.#sent })
      this.#checkLater()
    })
  }

  /** Withdraws connections that are open only here. */
  #recall(numbers: readonly number[]): readonly PublicConnection[] {
    this.#fullUntilMs = systemClock.monotonicMs() + FULL_FOR_MS
    return numbers.flatMap((number) => {
      const connection = this.#handed.get(number)
      this.#handed.delete(number)
      return connection ?? []
    })
  }

  #receive(message: FromPart, { onMessage, onMissed }: PartEvents): void {
    if (message.type === 'taken') this.#withdraw(message.number)
    else if (message.type === 'missed') onMissed(this.#recall(message.numbers))
    else onMessage(this, message)
  }

  /** Closes the connection here. If the process has it, it stays open there. */
  #withdraw(number: number): void {
    this.#handed.get(number)?.socket.destroy()
    this.#handed.delete(number)
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }
}

/** Whether a process accepts connections to an address. Those of operators go to the owner, if there is one. */
export function accepts(
  { state, order: { part } }: Pick<PartProcess, 'state' | 'order'>,
  setting: ListenSetting,
): boolean {
  if (state !== 'ready') return false
  return part === 'node' || (setting === 'listen' ? part === 'worker' : part === 'owner')
}

export function nameOfPart(part: PartType): string {
  return part === 'owner' ? 'the process that owns the files' : 'a process that serves callers'
}
