import { GatewayError } from '../../src/canonical/failure.ts'
import { nextTurn } from '../../src/kit/time/clock.ts'
import { EpochEndedError } from '../../src/metering/leases/epoch-ended-error.ts'
import { LedgerQueue, type LedgerQueueOptions } from '../../src/metering/ledger/ledger-queue.ts'
import type { LedgerIntent, LedgerRow } from '../../src/metering/ledger-row.ts'
import type { LedgerBatch } from '../../src/metering/ledger-store.ts'
import { createFakeClock } from './fake-clock.ts'
import { createLedgerIntent, createLedgerRow } from './ledger-row.ts'

/** The state of a store at the moment. */
export type StoreMode = 'works' | 'fails' | 'stalls'

/** Writes as the contract says: a batch or nothing, one at a time. */
export class ScriptedLedgerStore {
  mode: StoreMode = 'works'
  /** An intent of an epoch that is over. */
  ended: LedgerIntent['id'] | undefined
  readonly batches: LedgerBatch[] = []
  tries = 0
  isBusy = false
  readonly #stalled: (() => void)[] = []

  async commit(batch: LedgerBatch): Promise<void> {
    if (this.isBusy) throw new Error('a second commit began before the first had ended')
    this.isBusy = true
    this.tries += 1
    try {
      if (this.mode === 'stalls') await new Promise<void>((resolve) => this.#stalled.push(resolve))
      await nextTurn()
      if (this.mode === 'fails') throw new GatewayError('store_unavailable')
      const { ended } = this
      if (ended !== undefined && batch.intents.some(({ id }) => id === ended))
        throw new EpochEndedError([ended])
      this.batches.push(batch)
    } finally {
      this.isBusy = false
    }
  }

  resume(mode: StoreMode = 'works'): void {
    this.mode = mode
    for (const go of this.#stalled.splice(0)) go()
  }

  get rowIds(): readonly string[] {
    return this.batches.flatMap(({ rows }) => rows.map(({ id }) => id))
  }
}

/** A queue on a clock that stands still, and on a store that does what a test says. */
export function setUpLedgerQueue(durability: LedgerQueueOptions['durability'] = 'batched') {
  const clock = createFakeClock()
  const store = new ScriptedLedgerStore()
  const warnings: string[] = []
  const states: boolean[] = []
  let dropped = 0
  const queue = new LedgerQueue({
    store,
    clock,
    durability,
    reports: {
      setUp: (isUp) => states.push(isUp),
      addDropped: (count) => {
        dropped += count
      },
      rowRecorded: () => undefined,
      warn: (message) => warnings.push(message),
    },
  })
  return { clock, store, queue, warnings, states, dropped: () => dropped }
}

let attempts = 0

export function sampleIntent(): LedgerIntent {
  attempts += 1
  return createLedgerIntent(attempts)
}

/** The row of an intent's attempt, or of one that had no intent. */
export function sampleRow(
  { id, requestId }: LedgerIntent = sampleIntent(),
  changes: Partial<LedgerRow> = {},
): LedgerRow {
  return createLedgerRow(0, { id, requestId, ...changes })
}

/** Lets commits that can go on end, those included that follow at once. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await nextTurn()
}

/** The outcome of a promise by now. */
export function watch(promise: Promise<void> | undefined) {
  const result = { state: 'waits' }
  promise?.then(
    () => {
      result.state = 'durable'
    },
    (error: unknown) => {
      result.state = error instanceof GatewayError ? error.failure.code : 'failed'
    },
  )
  return result
}
