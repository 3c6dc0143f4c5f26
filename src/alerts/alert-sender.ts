import { reasonOf } from '../kit/errors/reason-of.ts'
import type { Random } from '../kit/random/random.ts'
import type { Clock, Timer } from '../kit/time/clock.ts'
import type { AlertPolicy } from './alert-schema.ts'
import { createWebhookId, webhookHeaders } from './sign-webhook.ts'

export interface AlertPost {
  readonly policy: AlertPolicy
  /** The headers of the policy, and the signature. */
  readonly headers: Readonly<Record<string, string>>
  /** The body is JSON. */
  readonly body: string
}

/** Returns the status. Rejects without an answer, or once `signal` is aborted. */
export type PostAlert = (post: AlertPost, signal: AbortSignal) => Promise<number>

export interface AlertSenderOptions {
  readonly post: PostAlert
  readonly clock: Clock
  readonly random: Pick<Random, 'bytes'>
  readonly count: (outcome: 'sent' | 'failed' | 'dropped') => void
  readonly warn: (message: string) => void
}

/** Sends alerts one after the other. Nothing waits for it. */
export interface AlertSender {
  send(policy: AlertPolicy, body: string): void
  /** Gives up the alerts that have not been sent. */
  close(): void
}

/** The most alerts that wait; further ones are dropped. */
const MAX_WAITING = 100
const TIMEOUT_MS = 10_000
const PAUSES_MS = [1_000, 5_000, 30_000]

interface Waiting {
  /** The same each time that it is tried, so that a receiver knows what it has had. */
  readonly id: string
  readonly policy: AlertPolicy
  readonly body: string
}

export function createAlertSender(options: AlertSenderOptions): AlertSender {
  return new QueuedSender(options)
}

class QueuedSender implements AlertSender {
  readonly #options: AlertSenderOptions
  readonly #waiting: Waiting[] = []
  readonly #closing = new AbortController()
  #isSending = false

  constructor(options: AlertSenderOptions) {
    this.#options = options
  }

  send(policy: AlertPolicy, body: string): void {
    if (this.#closing.signal.aborted) return
    if (this.#waiting.length >= MAX_WAITING) {
      this.#options.count('dropped')
      return
    }
    this.#waiting.push({ id: createWebhookId(this.#options.random), policy, body })
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

  async #deliver(alert: Waiting): Promise<void> {
    let reason = ''
    for (const pauseMs of [0, ...PAUSES_MS]) {
      if (pauseMs > 0) await this.#pause(pauseMs)
      if (this.#closing.signal.aborted) return
      const outcome = await this.#tryOnce(alert)
      if (outcome.type === 'sent') return this.#options.count('sent')
      reason = outcome.reason
      if (outcome.type === 'refused') break
    }
    if (this.#closing.signal.aborted) return
    this.#options.count('failed')
    // The host alone: what follows it is often a secret.
    this.#options.warn(`an alert could not be sent to ${new URL(alert.policy.webhook).host}: ${reason}`)
  }

  async #tryOnce({ id, policy, body }: Waiting): Promise<Outcome> {
    const { clock, post } = this.#options
    const headers = { ...policy.headers, ...webhookHeaders({ id, body, atMs: clock.nowMs() }, policy.secret) }
    const late = new AbortController()
    const timer = clock.startTimer(TIMEOUT_MS, () =>
      late.abort(new DOMException('no answer in time', 'TimeoutError')),
    )
    try {
      const signal = AbortSignal.any([late.signal, this.#closing.signal])
      return judgeStatus(await post({ policy, headers, body }, signal))
    } catch (error) {
      return { type: 'again', reason: reasonOf(error) }
    } finally {
      timer.cancel()
    }
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

type Outcome =
  | { readonly type: 'sent' }
  /** `again`: it may pass; `refused`: the same would be refused again. */
  | { readonly type: 'again' | 'refused'; readonly reason: string }

function judgeStatus(status: number): Outcome {
  if (status >= 200 && status < 300) return { type: 'sent' }
  const mayPass = status >= 500 || status === 408 || status === 429
  return { type: mayPass ? 'again' : 'refused', reason: `it answered with status ${status}` }
}
