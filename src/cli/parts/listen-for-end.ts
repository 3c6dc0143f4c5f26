import type { Clock } from '../../kit/time/clock.ts'

/**
 * The time within which further signals are the same request. One Ctrl-C can arrive twice: the terminal signals every
 * process of its group, and the launcher that started this Node passes its own signal on.
 */
const SAME_REQUEST_MS = 250

type EndSignal = 'SIGTERM' | 'SIGINT'

export interface EndListeners {
  /** Called with the first signal. */
  first(signal: EndSignal): void
  /** Called when a signal asks to end at once. */
  again(): void
}

export interface SignalSource {
  on(signal: EndSignal, listener: (signal: EndSignal) => void): unknown
}

/** Listens for the signals to end. The listeners stay, since a signal without one ends a process at once. */
export function listenForEnd(
  source: SignalSource,
  clock: Pick<Clock, 'monotonicMs'>,
  { first, again }: EndListeners,
): void {
  let firstMs: number | undefined
  function onSignal(signal: EndSignal): void {
    const nowMs = clock.monotonicMs()
    if (firstMs === undefined) {
      firstMs = nowMs
      first(signal)
    } else if (nowMs - firstMs >= SAME_REQUEST_MS) again()
  }
  source.on('SIGTERM', onSignal)
  source.on('SIGINT', onSignal)
}
