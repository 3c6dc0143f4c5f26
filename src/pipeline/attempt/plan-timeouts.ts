import type { Timeouts } from '../../catalog/channel.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'

/** The facts that bound how long an attempt may show nothing, where the operator gives no time of their own. */
export interface AttemptTimeoutFacts {
  /** Whether another target could be asked instead. */
  readonly hasOther: boolean
  /** Whether reasoning or work of the provider's own tools is asked for, or the model reasons by itself. */
  readonly mayReason: boolean
  /** Whether the server may have to load the model before it answers. */
  readonly loadsModels: boolean
  readonly inputBytes: number
  /** The recent time of this target to its first content; undefined where it is not known. */
  readonly usualMs: number | undefined
  /** The limit of whole answers. */
  readonly wholeMs: number
  /** The limit between two pieces of an answer. */
  readonly progressMs: number
}

export interface AttemptTimeouts {
  /** The limit from the start of a stream to its first content, and so to its status. */
  readonly firstContentMs: number
  /** The limit between two bytes, once something came. */
  readonly idleMs: number
}

/** The shortest bound, which needs no knowledge of the target. */
export const MIN_FIRST_CONTENT_MS = 12_000
/** The shortest silence between two bytes that ends an attempt. */
export const MIN_IDLE_MS = MINUTE_MS
/** The longest that a target which neither reasons nor is the last one is waited for. */
const MAX_FIRST_CONTENT_MS = MINUTE_MS
/** The size of a prompt up to which it takes no longer to read. */
const QUICK_BYTES = 16 * 1024
/** The part of a longer prompt that is read in a second: some 2,000 tokens, which the slowest providers reach. */
const BYTES_PER_SECOND = 8 * 1024
/** A target may take this multiple of its usual time. */
const USUAL_FACTOR = 3

/**
 * Waits for a stream as long as for a whole answer where nothing else is left to try, since giving up early then helps
 * no one, and where the model may reason, since its silence is work that is paid for. Else another target answers
 * sooner.
 */
export function planTimeouts(facts: AttemptTimeoutFacts): AttemptTimeouts {
  const { hasOther, mayReason, wholeMs, progressMs } = facts
  const isPatient = mayReason || !hasOther
  return {
    firstContentMs: isPatient ? wholeMs : planShortTimeout(facts),
    idleMs: mayReason ? Math.max(MIN_IDLE_MS, progressMs) : MIN_IDLE_MS,
  }
}

/** The timeouts of a call after which nothing else is tried. */
export function lastTimeouts({ wholeHeadersMs, progressMs }: Timeouts): AttemptTimeouts {
  return { firstContentMs: wholeHeadersMs, idleMs: Math.max(MIN_IDLE_MS, progressMs) }
}

function planShortTimeout({ loadsModels, inputBytes, usualMs = 0 }: AttemptTimeoutFacts): number {
  if (loadsModels) return MAX_FIRST_CONTENT_MS
  const readingMs = (Math.max(0, inputBytes - QUICK_BYTES) / BYTES_PER_SECOND) * 1_000
  const neededMs = Math.max(MIN_FIRST_CONTENT_MS + readingMs, usualMs * USUAL_FACTOR)
  return Math.min(MAX_FIRST_CONTENT_MS, neededMs)
}
