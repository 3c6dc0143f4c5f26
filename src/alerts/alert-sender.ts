import type { Clock, Timer } from '../kit/time/clock.ts'
import { reasonOf } from '../kit/values/reason-of.ts'
import type { AlertPolicy } from './alert-schema.ts'

/** Sends a body of JSON and answers with the status. Rejects where there is none, or when told to stop. */
export type PostAlert = (policy: AlertPolicy, body: string, signal: AbortSignal) => Promise<number>

export interface AlertSenderOptions {
  readonly post: PostAlert
  readonly clock: Clock
  readonly count: (outcome: 'sent' | 'failed' | 'dropped') => void
  readonly warn: (message: string) => void
}

/** Sends alerts one after the other. Nothing waits for it. */
export interface AlertSender {
  send(policy: AlertPolicy, body: string): void
  /** What has not been sent by now is given up. */
  close(): void
}

/** What may wait; what comes then is dropped. */
const MOST_WAITING = 100
const TIMEOUT_MS = 10_000
const PAUSES_MS = [1_000, 5_000, 30_000]

interface Waiting {
  readonly policy: AlertPolicy
  readonly body: string
}

export function createAlertSender({ post, clock, count, warn }: AlertSenderOptions): AlertSender {
  const waiting: Waiting[] = []
  const closing = new AbortController()
  let isAtWork = false

  async function work(): Promise<void> {
    isAtWork = true
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await deliver(next)
    isAtWork = false
  }

  async function deliver({ policy, body }: Waiting): Promise<void> {
    let reason = ''
    for (const pauseMs of [0, ...PAUSES_MS]) {
      if (pauseMs > 0) await pause(pauseMs)
      if (closing.signal.aborted) return
      const outcome = await tryOnce(policy, body)
      if (outcome.type === 'sent') return count('sent')
      reason = outcome.reason
      if (outcome.type === 'refused') break
    }
    if (closing.signal.aborted) return
    count('failed')
    // The host alone: what follows it is often a secret.
    warn(`an alert could not be sent to ${new URL(policy.webhook).host}: ${reason}`)
  }

  async function tryOnce(policy: AlertPolicy, body: string): Promise<Outcome> {
    const late = new AbortController()
    const timer = clock.startTimer(TIMEOUT_MS, () => late.abort(new Error('no answer in time')))
    try {
      return judgeStatus(await post(policy, body, AbortSignal.any([late.signal, closing.signal])))
    } catch (error) {
      return { type: 'again', reason: reasonOf(error) }
    } finally {
      timer.cancel()
    }
  }

  function pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer: Timer = clock.startTimer(delayMs, end)
      closing.signal.addEventListener('abort', end, { once: true })
      function end() {
        timer.cancel()
        closing.signal.removeEventListener('abort', end)
        resolve()
      }
    })
  }

  return {
    send(policy, body) {
      if (closing.signal.aborted) return
      if (waiting.length >= MOST_WAITING) return count('dropped')
      waiting.push({ policy, body })
      if (!isAtWork) void work()
    },
    close() {
      waiting.length = 0
      closing.abort(new Error('the process ends'))
    },
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
