// One process of several, as its supervisor sees it.
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { systemClock } from '../../kit/time/clock.ts'
import type { ListenSetting } from '../listen-error.ts'
import type { FromPart, PartOrder, ToPart } from '../workers/part-messages.ts'
import type { Load } from './spread-connections.ts'

export interface PartEvents {
  readonly onMessage: (part: PartProcess, message: FromPart) => void
  /** Called once, with how it ended. */
  readonly onExit: (part: PartProcess, how: string) => void
}

/** The command line by which processes are started. */
export interface PartCommand {
  readonly script: string
  readonly args: readonly string[]
}

export class PartProcess implements Load {
  readonly order: PartOrder
  readonly startedAtMs = systemClock.monotonicMs()
  state: 'starting' | 'ready' | 'retiring' | 'ending' | 'ended' = 'starting'
  active = 0
  /** The connections that it has said it received, and those that were sent to it. */
  received = 0
  #sent = 0
  /** The reason that it gave when it refused to start. */
  refusal: string | undefined
  readonly #child: ChildProcess
  readonly #exited = Promise.withResolvers<void>()

  constructor({ script, args }: PartCommand, order: PartOrder, { onMessage, onExit }: PartEvents) {
    this.order = order
    this.#child = fork(script, [...args, order.part], {
      execArgv: process.execArgv,
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    // The program of the other side is this one.
    this.#child.on('message', (message) => onMessage(this, message as FromPart))
    // An exit follows, or the process was never there.
    this.#child.on('error', () => undefined)
    this.#child.once('exit', (code, signal) => {
      this.state = 'ended'
      this.#exited.resolve()
      onExit(this, signal === null ? `exit code ${code}` : `signal ${signal}`)
    })
    this.send({ type: 'begin', order })
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

  /** Hands a connection over; `onFailed` is called where the process did not take it. */
  hand(setting: ListenSetting, socket: Socket, onFailed: () => void): void {
    this.#sent += 1
    const message: ToPart = { type: 'connection', setting }
    this.#child.send(message, socket, { keepOpen: false }, (error) => {
      if (error !== null) onFailed()
    })
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }
}
