import type { Socket } from 'node:net'
import { unreachable } from '../../../src/kit/errors/unreachable.ts'
import type { Clock, Timer } from '../../../src/kit/time/clock.ts'
import { closeSocket } from '../socket/close-socket.ts'
import type { AfterAnswer, DeliveryStep } from './delivery.ts'

export interface Playback {
  /** The caller left, or the upstream closes: nothing more is sent. */
  stop(): void
}

export interface PlaybackEnd {
  /** `cut`: by the script. */
  readonly outcome: 'answered' | 'cut'
  readonly after: AfterAnswer
}

export interface PlaybackParts {
  readonly socket: Socket
  readonly clock: Clock
  onSent(bytes: number): void
  onEnd(end: PlaybackEnd): void
}

/** Carries out the steps of an answer; a caller who does not read holds it up. */
export function playDelivery(steps: readonly DeliveryStep[], parts: PlaybackParts): Playback {
  const player = new Player(steps, parts)
  player.play()
  return player
}

class Player implements Playback {
  readonly #steps: readonly DeliveryStep[]
  readonly #parts: PlaybackParts
  readonly #drained = () => this.play()
  #next = 0
  #timer: Timer | undefined
  #isStopped = false

  constructor(steps: readonly DeliveryStep[], parts: PlaybackParts) {
    this.#steps = steps
    this.#parts = parts
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
    this.#parts.socket.off('drain', this.#drained)
  }

  play(): void {
    while (!this.#isStopped) {
      const step = this.#steps[this.#next]
      if (step === undefined) return
      this.#next += 1
      if (!this.#execute(step)) return
    }
  }

  /** Whether the next step may follow at once. */
  #execute(step: DeliveryStep): boolean {
    switch (step.type) {
      case 'wait':
        this.#timer = this.#parts.clock.startTimer(step.ms, () => this.play())
        return false
      case 'send':
        return this.#send(step.bytes)
      case 'repeat':
        this.#repeat(step)
        return false
      case 'hang':
        return false
      case 'close':
        this.#close(step.by)
        return false
      case 'done':
        this.#parts.onEnd({ outcome: 'answered', after: step.after })
        return false
      default:
        return unreachable(step)
    }
  }

  #send(bytes: Buffer): boolean {
    const { socket, onSent } = this.#parts
    if (socket.destroyed || socket.writableEnded) return false
    onSent(bytes.length)
    if (socket.write(bytes)) return true
    socket.once('drain', this.#drained)
    return false
  }

  #repeat({ bytes, everyMs }: Extract<DeliveryStep, { readonly type: 'repeat' }>): void {
    this.#timer = this.#parts.clock.startTimer(everyMs, () => {
      // The same step again, once this one is with the system.
      this.#next -= 1
      if (!this.#isStopped && this.#send(bytes)) this.play()
    })
  }

  #close(by: Extract<DeliveryStep, { readonly type: 'close' }>['by']): void {
    closeSocket(this.#parts.socket, by)
    this.#parts.onEnd({ outcome: 'cut', after: 'keep' })
  }
}
