import { reasonOf } from '../kit/errors/reason-of.ts'
import { type NoAnswer, noAnswerOf } from '../kit/net/no-answer.ts'
import type { Random } from '../kit/random/random.ts'
import type { Clock, Timer } from '../kit/time/clock.ts'
import type { AlertReceiver } from './receivers/receiver-schema.ts'
import { createWebhookId, webhookHeaders } from './receivers/sign-webhook.ts'

export interface AlertPost {
  readonly receiver: AlertReceiver
  /** The headers of the receiver and, for a webhook, the signature. */
  readonly headers: Readonly<Record<string, string>>
  /** The body is JSON. */
  readonly body: string
}

/** Thrown by the transport when no response arrives. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  readonly kind: NoAnswer

  /** `fault` is the transport's code for the fault, if it is known. */
  constructor(message: string, fault: string | undefined, options?: ErrorOptions) {
    super(message, options)
    this.kind = noAnswerOf(fault)
  }
}

/** Sends a POST and resolves with the status. Rejects if no status arrives before `signal` is aborted. */
export type PostAlert = (post: AlertPost, signal: AbortSignal) => Promise<number>

export interface AlertSenderOptions {
  readonly post: PostAlert
  readonly clock: Clock
  readonly random: Pick<Random, 'bytes'>
  readonly count: (outcome: 'sent' | 'failed' | 'dropped', receiver: string) => void
  readonly warn: (message: string) => void
}

/** Writes the JSON body of an alert for a receiver. */
export type WriteBody = (receiver: AlertReceiver) => string

/** The outcome of a POST. `again`: a retry may succeed. `refused`: a retry would be refused as well. */
export type DeliveryOutcome =
  | { readonly type: 'sent'; readonly status: number }
  | { readonly type: 'again' | 'refused'; readonly status: number; readonly reason: string }
  | {
      readonly type: 'again'
      readonly status: undefined
      readonly reason: string
      readonly noAnswer: NoAnswer
    }

/** The last POST to a receiver that was delivered or given up. */
export interface LastDelivery {
  readonly atMs: number
  readonly outcome: DeliveryOutcome
}

/** Sends alerts, one after the other for each receiver. No caller waits for the delivery. */
export interface AlertSender {
  /**
   * Queues an alert. `write` writes its body at each try, since the receiver may be corrected while the alert waits:
   * other secrets and another address apply to what waits as well.
   */
  send(receiver: AlertReceiver, write: WriteBody): void
  /** Sends one test outside the queue and resolves with the outcome. Never rejects. */
  test(receiver: AlertReceiver, body: string): Promise<DeliveryOutcome>
  /** Undefined before the first delivery. */
  lastOf(receiverName: string): LastDelivery | undefined
  waitingOf(receiverName: string): number
  /** Sends queued alerts to these receivers as they are now. Drops the alerts for all others. */
  change(receivers: readonly AlertReceiver[]): void
  /** Drops the alerts that have not been sent. */
  close(): void
}

/** The limit on queued alerts for one receiver. Further alerts are dropped. */
const MAX_WAITING = 100
const TIMEOUT_MS = 10_000
const PAUSES_MS = [1_000, 5_000, 30_000]

export function createAlertSender(options: AlertSenderOptions): AlertSender {
  return new QueuedSender(options)
}

class QueuedSender implements AlertSender {
  readonly #options: AlertSenderOptions
  readonly #queues = new Map<string, ReceiverQueue>()
  readonly #closing = new AbortController()

  constructor(options: AlertSenderOptions) {
    this.#options = options
  }

  send(receiver: AlertReceiver, write: WriteBody): void {
    if (this.#closing.signal.aborted) return
    const queue = this.#queues.get(receiver.name) ?? new ReceiverQueue(receiver, this.#options)
    this.#queues.set(receiver.name, queue)
    queue.send(write)
  }

  test(receiver: AlertReceiver, body: string): Promise<DeliveryOutcome> {
    const id = createWebhookId(this.#options.random)
    return tryOnce({ id, receiver, body }, this.#options, this.#closing.signal)
  }

  lastOf(receiverName: string): LastDelivery | undefined {
    return this.#queues.get(receiverName)?.last
  }

  waitingOf(receiverName: string): number {
    return this.#queues.get(receiverName)?.waiting ?? 0
  }

  change(receivers: readonly AlertReceiver[]): void {
    const byName = new Map(receivers.map((receiver) => [receiver.name, receiver]))
    for (const [name, queue] of this.#queues) {
      const receiver = byName.get(name)
      if (receiver !== undefined) queue.change(receiver)
      else {
        queue.close()
        this.#queues.delete(name)
      }
    }
  }

  close(): void {
    this.#closing.abort()
    this.change([])
  }
}

interface Waiting {
  /** The message ID. It is the same on every retry, so that a receiver can detect duplicates. */
  readonly id: string
  readonly write: WriteBody
}

/** The queue of one receiver. A receiver that is down does not delay the others. */
class ReceiverQueue {
  last: LastDelivery | undefined
  readonly #options: AlertSenderOptions
  readonly #waiting: Waiting[] = []
  readonly #closing = new AbortController()
  #receiver: AlertReceiver
  #isSending = false

  constructor(receiver: AlertReceiver, options: AlertSenderOptions) {
    this.#receiver = receiver
    this.#options = options
  }

  get waiting(): number {
    return this.#waiting.length + (this.#isSending ? 1 : 0)
  }

  /** The next try is made to the receiver as it is from now on. */
  change(receiver: AlertReceiver): void {
    this.#receiver = receiver
  }

  send(write: WriteBody): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#options.count('dropped', this.#receiver.name)
      return
    }
    this.#waiting.push({ id: createWebhookId(this.#options.random), write })
    if (!this.#isSending) void this.#sendAll()
  }

  close(): void {
    this.#waiting.length = 0
    this.#closing.abort()
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      await this.#deliver(next)
    this.#isSending = false
  }

  async #deliver({ id, write }: Waiting): Promise<void> {
    const { count, warn, clock } = this.#options
    let outcome: DeliveryOutcome | undefined
    let receiver = this.#receiver
    for (const pauseMs of [0, ...PAUSES_MS]) {
      if (pauseMs > 0) await this.#pause(pauseMs)
      if (this.#closing.signal.aborted) return
      receiver = this.#receiver
      const alert = { id, receiver, body: write(receiver) }
      outcome = await tryOnce(alert, this.#options, this.#closing.signal)
      if (outcome.type !== 'again') break
    }
    if (this.#closing.signal.aborted || outcome === undefined) return
    const { name, url } = receiver
    this.last = { atMs: clock.nowMs(), outcome }
    count(outcome.type === 'sent' ? 'sent' : 'failed', name)
    if (outcome.type === 'sent') return
    // Only the host is logged, as the rest of the address is often a secret.
    warn(`an alert could not be sent to ${name} (${new URL(url).host}): ${outcome.reason}`)
  }

  #pause(delayMs: number): Promise<void> {
    const { signal } = this.#closing
    return new Promise((resolve) => {
      const timer: Timer = this.#options.clock.startTimer(delayMs, end)
      signal.addEventListener('abort', end, { once: true })
      function end() {
        timer.cancel()
        signal.removeEventListener('abort', end)
        resolve()
      }
    })
  }
}

async function tryOnce(
  { id, receiver, body }: Pick<Waiting, 'id'> & Pick<AlertPost, 'receiver' | 'body'>,
  { clock, post }: AlertSenderOptions,
  closing: AbortSignal,
): Promise<DeliveryOutcome> {
  const signed =
    receiver.type === 'webhook' ? webhookHeaders({ id, body, atMs: clock.nowMs() }, receiver.secret) : {}
  const late = new AbortController()
  const timer = clock.startTimer(TIMEOUT_MS, () =>
    late.abort(new DOMException('no answer in time', 'TimeoutError')),
  )
  try {
    const signal = AbortSignal.any([late.signal, closing])
    return judgeStatus(await post({ receiver, headers: { ...receiver.headers, ...signed }, body }, signal))
  } catch (error) {
    const noAnswer = late.signal.aborted ? 'timeout' : error instanceof NoAnswerError ? error.kind : 'broken'
    return { type: 'again', status: undefined, reason: reasonOf(error), noAnswer }
  } finally {
    timer.cancel()
  }
}

function judgeStatus(status: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return { type: 'sent', status }
  const mayPass = status >= 500 || status === 408 || status === 429
  return { type: mayPass ? 'again' : 'refused', status, reason: `it answered with status ${status}` }
}
