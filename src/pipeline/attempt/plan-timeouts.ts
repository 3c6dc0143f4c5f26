import type { Timeouts } from '../../catalog/channel.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'

/** The facts from which the timeouts of an attempt follow, where the operator sets none. */
export interface AttemptTimeoutFacts {
  /** Whether another target could be called instead. */
  readonly hasOther: boolean
  /** Whether the request asks for reasoning or for work of the provider's own tools, or the model reasons by itself. */
  readonly mayReason: boolean
  /** Whether the server may have to load the model before it answers. */
  readonly loadsModels: boolean
  readonly inputBytes: number
  /** The recent time of this target to its first content; undefined where it is unknown. */
  readonly usualMs: number | undefined
  /** The timeout of whole answers. */
  readonly wholeMs: number
  /** The timeout between two pieces of an answer. */
  readonly progressMs: number
}

export interface AttemptTimeouts {
  /** The timeout from the start of a stream to its first content, and so also to its status. */
  readonly firstContentMs: number
  /** The timeout between two bytes, after the first one has arrived. */
  readonly idleMs: number
}

/** The shortest timeout. It needs no knowledge of the target. */
export const MIN_FIRST_CONTENT_MS = 12_000
/** The shortest silence between two bytes that ends an attempt. */
export const MIN_IDLE_MS = MINUTE_MS
/** The longest wait for a target that does not reason and is not the last one. */
const MAX_FIRST_CONTENT_MS = MINUTE_MS
/** The size up to which a prompt needs no extra reading time. */
const QUICK_BYTES = 16 * 1024
/**
 * The number of bytes of a longer prompt that are read in a second: some 2,000 tokens, which the slowest providers
 * reach.
 */
const BYTES_PER_SECOND = 8 * 1024
/** The factor by which a target may exceed its usual time. */
const USUAL_FACTOR = 3

/**
 * Plans the timeouts of a stream. The wait is as long as for a whole answer where no other target is left, since giving
 * up early then helps no one, and where the model may reason, since its silence is work that is paid for. Otherwise
 * another target answers sooner.
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
