import type { Timeouts } from '../catalog/channel.ts'
import type { Clock } from '../kit/clock.ts'

export type AttemptPhase = 'headers' | 'first-content' | 'idle' | 'total'

export interface AttemptTimers {
  sawHead(): void
  sawBytes(): void
  sawContent(): void
  /** While we do not read, silence is not the upstream's. */
  setPaused(isPaused: boolean): void
  stop(): void
}

export interface AttemptTimerOptions {
  readonly clock: Clock
  readonly timeouts: Timeouts
  readonly isStream: boolean
  readonly onExpired: (phase: AttemptPhase) => void
}

/**
 * Watches every phase of one attempt with one timer: bytes only leave a time stamp, and the timer looks at the stamps
 * when the nearest deadline comes.
 */
export function createAttemptTimers({
  clock,
  timeouts,
  isStream,
  onExpired,
}: AttemptTimerOptions): AttemptTimers {
  const startedAtMs = clock.monotonicMs()
  let lastByteAtMs = startedAtMs
  let hasHead = false
  let hasContent = false
  let isPaused = false
  let timer = clock.startTimer(nearest().atMs - startedAtMs, look)

  function deadlines(): readonly { readonly phase: AttemptPhase; readonly atMs: number }[] {
    const headersMs = isStream ? timeouts.headersMs : timeouts.wholeHeadersMs
    return [
      { phase: 'headers', atMs: hasHead ? Number.POSITIVE_INFINITY : startedAtMs + headersMs },
      {
        phase: 'first-content',
        atMs: isStream && !hasContent ? startedAtMs + timeouts.firstContentMs : Number.POSITIVE_INFINITY,
      },
      {
        phase: 'idle',
        atMs: hasHead && !isPaused ? lastByteAtMs + timeouts.idleMs : Number.POSITIVE_INFINITY,
      },
      { phase: 'total', atMs: startedAtMs + timeouts.totalMs },
    ]
  }

  function nearest() {
    return deadlines().reduce((first, one) => (one.atMs < first.atMs ? one : first))
  }

  function look() {
    const nowMs = clock.monotonicMs()
    const { phase, atMs } = nearest()
    if (atMs <= nowMs) onExpired(phase)
    else timer = clock.startTimer(atMs - nowMs, look)
  }

  function rearm() {
    timer.cancel()
    timer = clock.startTimer(Math.max(0, nearest().atMs - clock.monotonicMs()), look)
  }

  return {
    sawHead() {
      hasHead = true
      lastByteAtMs = clock.monotonicMs()
      rearm()
    },
    sawBytes() {
      lastByteAtMs = clock.monotonicMs()
    },
    sawContent() {
      hasContent = true
    },
    setPaused(paused) {
      if (paused === isPaused) return
      isPaused = paused
      lastByteAtMs = clock.monotonicMs()
      if (!paused) rearm()
    },
    stop() {
      timer.cancel()
    },
  }
}
