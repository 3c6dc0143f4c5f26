import type { Timeouts } from '../catalog/channel.ts'

export type AttemptPhase = 'headers' | 'first-content' | 'idle' | 'progress' | 'total' | 'deadline'

/** How far one attempt has come, as time stamps of `Clock.monotonicMs`. */
export interface AttemptProgress {
  readonly startedAtMs: number
  readonly isStream: boolean
  readonly hasHead: boolean
  readonly hasContent: boolean
  readonly lastByteAtMs: number
  /** When something of the answer last came; pings and comments do not count. */
  readonly lastContentAtMs: number
  /** Of the whole request; once content is shown it counts no more. */
  readonly deadlineAtMs: number
  /** While we do not read, silence is not the upstream's. */
  readonly isPaused: boolean
}

/** The phase that has taken longer than it may; undefined while all is well. */
export function findExpired(
  progress: AttemptProgress,
  timeouts: Timeouts,
  nowMs: number,
): AttemptPhase | undefined {
  const { isStream, hasHead, hasContent, isPaused } = progress
  const sinceStartMs = nowMs - progress.startedAtMs
  if (sinceStartMs >= timeouts.totalMs) return 'total'
  if (!hasContent && nowMs >= progress.deadlineAtMs) return 'deadline'
  if (!hasHead && sinceStartMs >= (isStream ? timeouts.headersMs : timeouts.wholeHeadersMs)) return 'headers'
  if (isStream && !hasContent && sinceStartMs >= timeouts.firstContentMs) return 'first-content'
  if (hasHead && !isPaused && nowMs - progress.lastByteAtMs >= timeouts.idleMs) return 'idle'
  if (isStream && hasContent && !isPaused && nowMs - progress.lastContentAtMs >= timeouts.progressMs)
    return 'progress'
  return undefined
}
