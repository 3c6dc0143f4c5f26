import { brand } from '../../kit/brand.ts'
import type { LedgerRowId } from '../../kit/random/ids.ts'
import type { Epoch } from '../../metering/leases/epoch.ts'
import type { CounterKey, LedgerCheckpoint, LedgerIntent } from '../../metering/ledger-row.ts'
import type { OpenIntent } from '../../metering/ledger-store.ts'

/** An attempt without a ledger row, and the process that is expected to settle it. */
export interface TrackedIntent {
  readonly intent: LedgerIntent
  outputTokens: number
  readonly epoch: Epoch
  /** Undefined where the process is unknown: another owner served it. */
  process: string | undefined
  /** The monotonic time since which no process is expected to settle the attempt. */
  orphanSinceMs: number | undefined
}

/** The epoch of all intents that were open when the owner started. */
export const EARLIER = brand<Epoch>(0)
const MAX_ORPHANS = 1_000

/** The intents without a ledger row that are in the file or are being written to it. */
export class OpenIntentTable {
  readonly #intents = new Map<LedgerRowId, TrackedIntent>()

  has(id: LedgerRowId): boolean {
    return this.#intents.has(id)
  }

  add(tracked: TrackedIntent): void {
    this.#intents.set(tracked.intent.id, tracked)
  }

  /** Removes the intent of an attempt that now has its row, or whose intent was not written. */
  remove(id: LedgerRowId): TrackedIntent | undefined {
    const tracked = this.#intents.get(id)
    this.#intents.delete(id)
    return tracked
  }

  /** Records the progress of an answer. Its process is alive. */
  checkpoint({ id, outputTokens }: LedgerCheckpoint, process: string): void {
    const tracked = this.#intents.get(id)
    if (tracked === undefined) return
    tracked.outputTokens = Math.max(tracked.outputTokens, outputTokens)
    tracked.process = process
    tracked.orphanSinceMs = undefined
  }

  /** Records that a process has connected. It settles its own attempts. */
  joined(process: string): void {
    for (const tracked of this.#intents.values())
      if (tracked.process === process) tracked.orphanSinceMs = undefined
  }

  gone(process: string, nowMs: number): void {
    for (const tracked of this.#intents.values())
      if (tracked.process === process) tracked.orphanSinceMs ??= nowMs
  }

  /** The intents that no process has been expected to settle since this time or earlier. */
  orphansSince(atMs: number): readonly OpenIntent[] {
    const orphans: OpenIntent[] = []
    for (const { intent, outputTokens, orphanSinceMs } of this.#intents.values()) {
      if (orphanSinceMs === undefined || orphanSinceMs > atMs) continue
      orphans.push({ intent, outputTokens })
      if (orphans.length === MAX_ORPHANS) break
    }
    return orphans
  }

  holdsOpen(epoch: Epoch): boolean {
    for (const tracked of this.#intents.values()) if (tracked.epoch === epoch) return true
    return false
  }

  /** The amounts that the open intents of an epoch hold, by window. */
  heldBy(epoch: Epoch): (window: CounterKey) => number {
    const sums = new Map<string, number>()
    for (const tracked of this.#intents.values()) {
      if (tracked.epoch !== epoch) continue
      for (const { amount, ...window } of tracked.intent.held)
        sums.set(windowNameOf(window), (sums.get(windowNameOf(window)) ?? 0) + amount)
    }
    return (window) => sums.get(windowNameOf(window)) ?? 0
  }

  state(): readonly TrackedIntent[] {
    return [...this.#intents.values()]
  }
}

export function windowNameOf({
  counter,
  windowStartMs,
}: Pick<CounterKey, 'counter' | 'windowStartMs'>): string {
  return `${windowStartMs} ${counter}`
}
