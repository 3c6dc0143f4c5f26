import type { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { unmapAddress } from '../../kit/net/unmap-address.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { DAY_MS, MINUTE_MS } from '../../kit/time/time-units.ts'
import { foldUserName } from './user.ts'

/** The failed attempts of one name or one address since its last success. */
export interface FailureCount {
  readonly subject: string
  /** 0 if the failures are forgotten. */
  readonly failures: number
  readonly lastAtMs: number
}

export interface SignInAttempt {
  /** Undefined when a link is opened, as that request names no user. */
  readonly name: string | undefined
  readonly address: string
}

const freeFailures = { name: 5, address: 20 } as const
const MAX_WAIT_MS = 15 * MINUTE_MS
/** Failures are forgotten after this time without another attempt. */
const FORGOTTEN_MS = DAY_MS
/**
 * An address loses one failure in this time. Many people may share it, and one of them signs in or mistypes every
 * day, so that its failures would never be forgotten otherwise.
 */
const LAPSE_MS = DAY_MS / freeFailures.address
/** The limit on remembered names and addresses. Beyond it, the entry that was counted longest ago is forgotten. */
const MAX_SUBJECTS = 20_000

interface Count {
  readonly failures: number
  readonly lastAtMs: number
}

/**
 * Delays guesses. After a few failures, the wait before each further attempt doubles, up to a quarter of an hour.
 * Failures are counted by name, whether the user exists or not, and by address. This stops many guesses for one name
 * as well as one guess for many names. An attempt counts as failed until it succeeds, so concurrent attempts gain
 * nothing over sequential ones.
 */
export class SignInThrottle {
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #counts: Map<string, Count>
  readonly #unsaved = new Map<string, Count>()
  /** The time from which the next failure of an address lapses. */
  readonly #lapsesFromMs = new Map<string, number>()

  constructor(stored: readonly FailureCount[], clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock
    this.#counts = new Map(stored.map(({ subject, ...count }) => [subject, count]))
  }

  /** Loads the stored counts of an attempt's name and address, which other nodes update as well. */
  adopt(attempt: SignInAttempt, stored: readonly FailureCount[]): void {
    for (const { subject } of subjectsOf(attempt)) {
      // A local count that is not stored yet is newer.
      if (this.#unsaved.has(subject)) continue
      const count = stored.find((each) => each.subject === subject)
      if (count === undefined) {
        this.#counts.delete(subject)
        this.#lapsesFromMs.delete(subject)
      } else this.#counts.set(subject, { failures: count.failures, lastAtMs: count.lastAtMs })
    }
  }

  /** Fails with `too_many_sign_ins` if the name or the address has to wait. */
  begin(attempt: SignInAttempt): void {
    const nowMs = this.#clock.nowMs()
    const counted = subjectsOf(attempt).map(({ subject, free, isName }) => {
      const { failures, lastAtMs } = this.#read(subject)
      const lapsed = isName ? 0 : this.#countLapsed(subject, nowMs)
      return { subject, isName, lapsed, free, failures: Math.max(0, failures - lapsed), lastAtMs }
    })
    const waitMs = Math.max(
      ...counted.map(({ failures, free, lastAtMs }) => lastAtMs + waitAfter(failures - free) - nowMs),
    )
    if (waitMs > 0) throw tooMany(waitMs)
    for (const { subject, isName, lapsed, failures } of counted) {
      const fromMs = Math.min(this.#lapsesFromMs.get(subject) ?? nowMs, nowMs)
      if (!isName) this.#lapsesFromMs.set(subject, fromMs + lapsed * LAPSE_MS)
      this.#write(subject, { failures: failures + 1, lastAtMs: nowMs })
    }
  }

  succeed(attempt: SignInAttempt): void {
    for (const { subject, isName } of subjectsOf(attempt)) {
      const { failures, lastAtMs } = this.#read(subject)
      this.#write(subject, { failures: isName ? 0 : Math.max(0, failures - 1), lastAtMs })
    }
  }

  /** The counts that changed since the last call and must be stored. */
  drainUnsaved(): readonly FailureCount[] {
    const drained = [...this.#unsaved].map(([subject, count]) => ({ subject, ...count }))
    this.#unsaved.clear()
    return drained
  }

  #countLapsed(subject: string, nowMs: number): number {
    return Math.max(0, Math.floor((nowMs - (this.#lapsesFromMs.get(subject) ?? nowMs)) / LAPSE_MS))
  }

  #read(subject: string): Count {
    const nowMs = this.#clock.nowMs()
    const count = this.#counts.get(subject)
    if (count === undefined || nowMs >= count.lastAtMs + FORGOTTEN_MS) return { failures: 0, lastAtMs: 0 }
    if (count.lastAtMs <= nowMs) return count
    // The clock was set back since then. Without this, the wait would last until the clock has caught up.
    const corrected = { failures: count.failures, lastAtMs: nowMs }
    this.#write(subject, corrected)
    return corrected
  }

  #write(subject: string, count: Count): void {
    this.#unsaved.set(subject, count)
    this.#counts.delete(subject)
    if (count.failures > 0) this.#counts.set(subject, count)
    else this.#lapsesFromMs.delete(subject)
    if (this.#counts.size <= MAX_SUBJECTS) return
    const [oldest] = this.#counts.keys()
    if (oldest !== undefined) this.#write(oldest, { failures: 0, lastAtMs: 0 })
  }
}

function waitAfter(excess: number): number {
  return excess < 0 ? 0 : Math.min(2 ** Math.min(excess, 20) * 1_000, MAX_WAIT_MS)
}

function tooMany(waitMs: number): GatewayError {
  const retryAfterSeconds = Math.ceil(waitMs / 1_000)
  return refuse('too_many_sign_ins', {
    retryAfterSeconds,
    message: `Too many sign-ins have failed for this name or from this address. Try again in ${retryAfterSeconds} s.`,
    fact: { code: 'retry_after', values: { seconds: retryAfterSeconds } },
  })
}

/** The keys under which an attempt is counted: its name and its address. */
export function listSubjects(attempt: SignInAttempt): readonly string[] {
  return subjectsOf(attempt).map(({ subject }) => subject)
}

interface Subject {
  readonly subject: string
  readonly free: number
  readonly isName: boolean
}

function subjectsOf({ name, address }: SignInAttempt): readonly Subject[] {
  const byAddress = { subject: `address ${networkOf(address)}`, free: freeFailures.address, isName: false }
  if (name === undefined) return [byAddress]
  return [byAddress, { subject: `name ${foldUserName(name)}`, free: freeFailures.name, isName: true }]
}

/**
 * The first 64 bits of an IPv6 address, as a provider assigns a customer the whole /64. An IPv4 address stays whole,
 * also in its mapped form, as the first 64 bits of all mapped addresses are the same.
 */
function networkOf(given: string): string {
  const address = unmapAddress(given)
  if (!address.includes(':')) return address
  const [before = '', after] = (address.split('%')[0] ?? '').split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const missing = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  return [...head, ...missing, ...tail].slice(0, 4).join(':')
}
