import type { Clock } from '../kit/time/clock.ts'
import type { NoticeLog } from './notice-log.ts'
import type { Observer } from './observer.ts'

/** Every request fails then, and one line says it. */
const EVERY_MS = 5_000

/** Tells operators that this process is out of file descriptors, which no provider is at fault for. */
export function createDescriptorNotice(notices: NoticeLog, clock: Clock): Observer {
  let quietUntilMs = Number.NEGATIVE_INFINITY
  return {
    requestEnded({ attempts }) {
      if (!attempts.some(({ outcome }) => outcome === 'out_of_descriptors')) return
      const nowMs = clock.monotonicMs()
      if (nowMs < quietUntilMs) return
      quietUntilMs = nowMs + EVERY_MS
      notices.error(
        'out of file descriptors: providers cannot be connected to; raise the limit (LimitNOFILE of the unit, ulimits of the container, ulimit -n) or lower limits.connections',
      )
    },
  }
}
