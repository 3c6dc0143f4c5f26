import type { Timeouts } from '../../catalog/channel.ts'
import { type AttemptTimeouts, MIN_FIRST_CONTENT_MS, MIN_IDLE_MS } from './plan-timeouts.ts'

export type AttemptPhase = 'headers' | 'first-content' | 'idle' | 'progress' | 'total' | 'deadline'

/** The progress of one attempt, as time stamps of `Clock.monotonicMs`. */
export interface AttemptProgress {
  readonly startedAtMs: number
  readonly isStream: boolean
  readonly hasHead: boolean
  readonly hasBody: boolean
  readonly hasContent: boolean
  readonly lastByteAtMs: number
  /** The time at which something of the answer last came; pings and comments do not count. */
  readonly lastContentAtMs: number
  /** The deadline of the whole request; it has no effect once content is shown. */
  readonly deadlineAtMs: number
  /** Set while we do not read: silence is then not the upstream's. */
  readonly isPaused: boolean
}

export interface AttemptBounds {
  /** The timeouts of the channel, some of which the operator may leave open. */
  readonly timeouts: Timeouts
  /** The timeouts where the operator gives none; asked only once a bound could have passed. */
  readonly attemptTimeouts: () => AttemptTimeouts
}

/** The phase that has taken longer than it may; undefined while all is in time. */
export function findExpired(
  progress: AttemptProgress,
  bounds: AttemptBounds,
  nowMs: number,
): AttemptPhase | undefined {
  const { isStream, hasHead, hasContent, isPaused } = progress
  const { timeouts } = bounds
  const sinceStartMs = nowMs - progress.startedAtMs
  if (sinceStartMs >= timeouts.totalMs) return 'total'
  if (!hasContent && nowMs >= progress.deadlineAtMs) return 'deadline'
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

/** A longer time for the status is one for the content, too. */
function contentBound({ timeouts, attemptTimeouts }: AttemptBounds, sinceStartMs: number): number {
  if (timeouts.firstContentMs !== undefined) return timeouts.firstContentMs
  if (sinceStartMs < MIN_FIRST_CONTENT_MS) return Number.POSITIVE_INFINITY
  return Math.max(timeouts.headersMs ?? 0, attemptTimeouts().firstContentMs)
}

/**
 * Whether the silence is too long. Before anything came, it is bounded by what the first content may take, save where
 * the operator says otherwise.
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
