import type { Timeouts } from '../../catalog/channel.ts'
import { type AttemptTimeouts, lastTimeouts, MIN_FIRST_CONTENT_MS, MIN_IDLE_MS } from './plan-timeouts.ts'

export type AttemptPhase = 'headers' | 'first-content' | 'idle' | 'progress' | 'total' | 'deadline'

/** The progress of one attempt, as time stamps of `Clock.monotonicMs`. */
export interface AttemptProgress {
  readonly startedAtMs: number
  readonly isStream: boolean
  readonly hasHead: boolean
  /** The time at which the status of an error arrived; undefined where no error did. */
  readonly errorAtMs: number | undefined
  readonly hasBody: boolean
  readonly hasContent: boolean
  readonly lastByteAtMs: number
  /** The time at which content of the answer last arrived. Pings and comments are not content. */
  readonly lastContentAtMs: number
  /** The deadline of the whole request. It has no effect once content is shown. */
  readonly deadlineAtMs: number
  /** The time at which the caller disconnected. */
  readonly leftAtMs?: number | undefined
  /** True while the gateway does not read. Silence is then not a fault of the upstream. */
  readonly isPaused: boolean
}

export interface AttemptBounds {
  /** The timeouts of the channel. The operator may leave some of them unset. */
  readonly timeouts: Timeouts
  /** The timeouts that apply where the operator sets none. Called only once a timeout could have passed. */
  readonly attemptTimeouts: () => AttemptTimeouts
}

/** The timeouts as an attempt is given them. If `attemptTimeouts` is undefined, the timeouts of a last call apply. */
export interface GivenBounds extends Pick<AttemptBounds, 'timeouts'> {
  readonly attemptTimeouts?: AttemptBounds['attemptTimeouts'] | undefined
}

/** Creates the bounds of an attempt. The timeouts that depend on other targets are found once, on their first use. */
export function createBounds({
  timeouts,
  attemptTimeouts = () => lastTimeouts(timeouts),
}: GivenBounds): AttemptBounds {
  let found: AttemptTimeouts | undefined
  return {
    timeouts,
    attemptTimeouts: () => {
      found ??= attemptTimeouts()
      return found
    },
  }
}

/** The time for the text of an error. Its status is enough to go on with, and its sender does no work any more. */
export const ERROR_TEXT_MS = 5_000

/** The time for the usage of an answer that is complete, and whose caller has disconnected. */
const LEFT_USAGE_MS = 3_000

/** The phase whose timeout has passed; undefined if no timeout has. */
export function findExpired(
  progress: AttemptProgress,
  bounds: AttemptBounds,
  nowMs: number,
): AttemptPhase | undefined {
  const { isStream, hasHead, errorAtMs, hasContent, isPaused, leftAtMs } = progress
  const { timeouts } = bounds
  const sinceStartMs = nowMs - progress.startedAtMs
  if (sinceStartMs >= timeouts.totalMs) return 'total'
  if (leftAtMs !== undefined && nowMs - leftAtMs >= LEFT_USAGE_MS) return 'total'
  if (!hasContent && nowMs >= progress.deadlineAtMs) return 'deadline'
  if (errorAtMs !== undefined && nowMs - errorAtMs >= ERROR_TEXT_MS) return 'idle'
  if (!hasHead && sinceStartMs >= headersBound(progress, bounds, sinceStartMs)) return 'headers'
  if (isStream && !hasContent && sinceStartMs >= contentBound(bounds, sinceStartMs)) return 'first-content'
  if (hasHead && !isPaused && isIdle(progress, bounds, nowMs)) return 'idle'
  if (isStream && hasContent && !isPaused && nowMs - progress.lastContentAtMs >= timeouts.progressMs)
    return 'progress'
  return undefined
}

function headersBound({ isStream }: AttemptProgress, bounds: AttemptBounds, sinceStartMs: number): number {
  const { timeouts } = bounds
  if (!isStream) return timeouts.wholeHeadersMs
  return timeouts.headersMs ?? contentBound(bounds, sinceStartMs)
}

/** The timeout of the first content. If the operator allows longer for the status, that time applies here, too. */
function contentBound({ timeouts, attemptTimeouts }: AttemptBounds, sinceStartMs: number): number {
  if (timeouts.firstContentMs !== undefined) return timeouts.firstContentMs
  if (sinceStartMs < MIN_FIRST_CONTENT_MS) return Number.POSITIVE_INFINITY
  return Math.max(timeouts.headersMs ?? 0, attemptTimeouts().firstContentMs)
}

/**
 * Whether the silence is too long. Before the first byte, the timeout of the first content applies, unless the operator
 * sets another one.
 */
function isIdle(
  progress: AttemptProgress,
  { timeouts, attemptTimeouts }: AttemptBounds,
  nowMs: number,
): boolean {
  const silentMs = nowMs - progress.lastByteAtMs
  if (timeouts.idleMs !== undefined) return silentMs >= timeouts.idleMs
  if (!progress.hasBody && !progress.isStream) return nowMs - progress.startedAtMs >= timeouts.wholeHeadersMs
  if (!progress.hasContent && progress.isStream) return false
  return silentMs >= MIN_IDLE_MS && silentMs >= attemptTimeouts().idleMs
}
