// One process of several, as its supervisor sees it.
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { systemClock } from '../../kit/time/clock.ts'
import type { ListenSetting } from '../listen-error.ts'
import type { FromPart, PartOrder, ToPart } from '../workers/part-messages.ts'
import { addLife, noShortLives, type ShortLives } from './short-lives.ts'
import type { Load } from './spread-connections.ts'

export interface PartEvents {
  readonly onMessage: (part: PartProcess, message: Exclude<FromPart, { type: 'taken' }>) => void
  /** Called once, with how it ended. */
  readonly onExit: (part: PartProcess, how: string) => void
  /** Called once all that it has said is read, with the connections that it has not taken: nothing of them is read. */
  readonly onLeft: (connections: readonly PublicConnection[]) => void
}

/** A connection that the supervisor has accepted, and of which nothing is read yet. */
export interface PublicConnection {
  readonly setting: ListenSetting
  readonly socket: Socket
}

/** The command line by which processes are started. */
export interface PartCommand {
  readonly script: string
  readonly args: readonly string[]
}

export class PartProcess implements Load {
  readonly order: PartOrder
  /** Whether another process has taken its part over. */
  isSucceeded = false
  #readyAtMs: number | undefined
  /** Those before it in its place. */
  readonly #before: ShortLives
  state: 'starting' | 'ready' | 'retiring' | 'ending' | 'ended' = 'starting'
  active = 0
  /** The connections that it has said it received, and those that were sent to it. */
  received = 0
  /** The connections that it was handed and has not taken yet, by number. */
  readonly #handed = new Map<number, PublicConnection>()
  #sent = 0
  /** The reason that it gave when it refused to start. */
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
    // The program of the other side is this one.
    this.#child.on('message', (message: FromPart) => this.#receive(message, events))
    // An exit follows, or the process was never there.
    this.#child.on('error', () => undefined)
    this.#child.once('exit', (code, signal) => {
      this.state = 'ended'
      this.#exited.resolve()
      events.onExit(this, signal === null ? `exit code ${code}` : `signal ${signal}`)
    })
    this.#child.once('close', () => {
      const left = [...this.#handed.values()]
      this.#handed.clear()
      events.onLeft(left)
    })
    this.send({ type: 'begin', order })
  }

  /** Those in its place that ended soon, this one among them; to be asked once it has ended. */
  get shortLives(): ShortLives {
    const readyAtMs = this.#readyAtMs
    return addLife(this.#before, readyAtMs === undefined ? undefined : systemClock.monotonicMs() - readyAtMs)
  }

  /** Notes that it serves. */
  setReady(): void {
    this.state = 'ready'
    this.#readyAtMs = systemClock.monotonicMs()
  }

  get unreported(): number {
    return this.#sent - this.received
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get exited(): Promise<void> {
    return this.#exited.promise
  }

  send(message: ToPart): void {
    // The failure is ignored: the process has ended, which is heard of by itself.
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  /**
   * Hands a connection over. It stays open here until the process has taken it: Node forgets one that it has sent to a
   * process that dies, and leaves it open (lib/internal/child_process.js of Node 24, seen 2026-11-25).
   */
  hand(connection: PublicConnection): void {
    this.#sent += 1
    const number = this.#sent
    const { setting, socket } = connection
    this.#handed.set(number, connection)
    this.#child.send(
      { type: 'connection', setting, number } satisfies ToPart,
      socket,
      { keepOpen: true },
      (error) => {
        // Where the process has ended, its connections go to another one.
        if (error !== null && this.#child.connected) this.#withdraw(number)
      },
    )
  }

  #receive(message: FromPart, { onMessage }: PartEvents): void {
    if (message.type === 'taken') this.#withdraw(message.number)
    else onMessage(this, message)
  }

  /** Closes the connection here; where the process has it, it stays open there. */
  #withdraw(number: number): void {
    this.#handed.get(number)?.socket.destroy()
    this.#handed.delete(number)
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }
}
