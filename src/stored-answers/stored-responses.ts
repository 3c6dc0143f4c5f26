import type { KeyId } from '../access/key.ts'
import { innerReasonOf } from '../canonical/failure.ts'
import type { Clock, Timer } from '../kit/time/clock.ts'
import { createDelayedSave, type DelayedSave } from '../kit/time/delayed-save.ts'
import { DAY_MS, MINUTE_MS } from '../kit/time/time-units.ts'
import type { StoredResponse } from './stored-response.ts'
import type { StoredResponseChange, StoredResponsePersistence } from './stored-response-persistence.ts'
import type { StoredResponsesPolicy } from './stored-responses-schema.ts'
import { WriteBuffer } from './write-buffer.ts'

export interface StoredResponsesOptions {
  readonly persistence: StoredResponsePersistence
  readonly clock: Clock
  /** Called once when storing begins to fail, and once when responses are lost because of that. */
  readonly warn: (message: string) => void
  /** The maximum number of bytes that may wait in memory for the database. */
  readonly maxWaitingBytes?: number
  /** Whether other processes share the responses: a caller may continue from a response there at once. */
  readonly isShared?: boolean
}

/** A crash loses the responses of this last span of time. */
const SAVE_AFTER_MS = 50
const SAVE_SHARED_AFTER_MS = 2
/**
 * The delays between lookups of a response that another process may have just made and not saved yet. After the last
 * lookup the response is unknown.
 */
const WAITS_FOR_OTHERS_MS = [10, 30, 60, 100, 200, 400] as const
const PRUNE_EVERY_MS = MINUTE_MS
const PRUNE_IDLE_MS = 600_000
const MAX_WAITING_BYTES = 64 * 1024 ** 2
/** The maximum size in bytes of one response, its input included. A larger response is not stored. */
export const MAX_RESPONSE_BYTES = 48 * 1024 ** 2
/** The size of a row besides its content. */
const ROW_BYTES = 512
/** The time for which the owners of providers' response IDs are stored, if the operator stores no content. */
export const OWNER_KEEP_MS = 30 * DAY_MS
const MAX_OWNER_BYTES = 64 * 1024 ** 2

/**
 * Responses and their items, by key and ID: an ID alone gives no access. An added response is found at once. It is
 * written to the database soon after, in batches. No request waits for the write or fails because of it.
 */
export class StoredResponses {
  readonly #options: StoredResponsesOptions
  readonly #saving: DelayedSave
  readonly #pruning: Timer
  readonly #buffer: WriteBuffer<StoredResponseChange>
  #policy: StoredResponsesPolicy | undefined
  #prunedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: StoredResponsesOptions, policy: StoredResponsesPolicy | undefined) {
    this.#options = options
    this.#policy = policy
    this.#saving = createDelayedSave({
      clock: options.clock,
      saveAfterMs: options.isShared === true ? SAVE_SHARED_AFTER_MS : SAVE_AFTER_MS,
      save: () => this.#save(),
      onFailure: (error) =>
        options.warn(
          `stored responses cannot be written: ${innerReasonOf(error)}; they stay in memory and writing is retried`,
        ),
    })
    this.#buffer = new WriteBuffer({
      maxBytes: options.maxWaitingBytes ?? MAX_WAITING_BYTES,
      bytesOf: bytesOfChange,
      join,
      onLoss: () =>
        options.warn(
          'the database is behind, so the oldest of the responses that wait to be stored are lost',
        ),
    })
    // Expired responses are deleted even while no request arrives.
    this.#pruning = options.clock.startTimer(PRUNE_IDLE_MS, () => this.#saving.schedule())
    this.#saving.schedule()
  }

  /** Undefined where the operator stores no content. */
  get policy(): StoredResponsesPolicy | undefined {
    return this.#policy
  }

  /**
   * Applies the limits of another configuration. Responses that are already stored stay until they reach the new
   * limits.
   */
  change(policy: StoredResponsesPolicy | undefined): void {
    this.#policy = policy
    this.#prunedAtMs = Number.NEGATIVE_INFINITY
    this.#saving.schedule()
  }

  put(response: StoredResponse): void {
    this.#add({ type: 'put', response })
  }

  /** Fulfilled once no other process finds the old version of the response, as long as the database can be reached. */
  replace(response: StoredResponse): Promise<void> {
    return this.#addForAll({ type: 'put', response })
  }

  /** Fulfilled once no other process finds the response, as long as the database can be reached. */
  delete(keyId: KeyId, id: string): Promise<void> {
    return this.#addForAll({ type: 'delete', keyId, id })
  }

  async #addForAll(change: StoredResponseChange): Promise<void> {
    this.#add(change)
    if (this.#options.isShared === true) await this.#saving.flush()
  }

  /** Stores a response for as long as the newer response that continues from it. */
  extend(keyId: KeyId, id: string, expiresAtMs: number): void {
    const waiting = this.#buffer.findWaiting(nameOf(keyId, id))
    this.#add(join(waiting, { type: 'extend', keyId, id, expiresAtMs }))
  }

  async find(keyId: KeyId, id: string): Promise<StoredResponse | undefined> {
    const change = this.#changeOf(keyId, id)
    const found = change === undefined ? await this.#findSaved(keyId, id) : responseOf(change)
    return found !== undefined && found.expiresAtMs > this.#options.clock.nowMs() ? found : undefined
  }

  findItems(keyId: KeyId, itemIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const wanted = new Set(itemIds)
    return this.#look(
      () => this.#findItemsNow(keyId, wanted),
      ({ size }) => size === wanted.size,
    )
  }

  async #findItemsNow(keyId: KeyId, wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    const found = new Map(await this.#options.persistence.findItems(keyId, [...wanted]))
    for (const change of this.#buffer.entries()) {
      if (change.type !== 'put' || change.response.keyId !== keyId) continue
      for (const itemId of change.response.itemIds)
        if (wanted.has(itemId)) found.set(itemId, change.response.id)
    }
    return found
  }

  #findSaved(keyId: KeyId, id: string): Promise<StoredResponse | undefined> {
    return this.#look(
      () => this.#options.persistence.find(keyId, id),
      (found) => found !== undefined,
    )
  }

  /** Looks in the database. If other processes write there too, repeats the lookup for a moment until it succeeds. */
  async #look<Found>(read: () => Promise<Found>, isFound: (found: Found) => boolean): Promise<Found> {
    let found = await read()
    for (const waitMs of this.#options.isShared === true ? WAITS_FOR_OTHERS_MS : []) {
      if (isFound(found)) break
      await new Promise<void>((resolve) => void this.#options.clock.startTimer(waitMs, resolve))
      found = await read()
    }
    return found
  }

  /** Writes the changes that still wait, if that is possible. */
  async close(): Promise<void> {
    await this.#saving.close()
    // The last write has restarted the timer.
    this.#pruning.cancel()
  }

  /**
   * The change of a response that waits to be written. An extension is not such a change: it does not tell what the
   * database holds.
   */
  #changeOf(keyId: KeyId, id: string): StoredResponseChange | undefined {
    const name = nameOf(keyId, id)
    const changes = [this.#buffer.findWaiting(name), this.#buffer.findWritten(name)]
    return changes.find((change) => change !== undefined && change.type !== 'extend')
  }

  #add(change: StoredResponseChange): void {
    this.#buffer.add(nameOfChange(change), change)
    this.#saving.schedule()
  }

  async #save(): Promise<void> {
    const { persistence, clock } = this.#options
    await this.#buffer.flush((changes) => persistence.save(changes))
    if (clock.monotonicMs() - this.#prunedAtMs < PRUNE_EVERY_MS) return
    this.#prunedAtMs = clock.monotonicMs()
    this.#pruning.restart()
    await persistence.prune({
      nowMs: clock.nowMs(),
      maxBytes: this.#policy?.maxBytes ?? MAX_OWNER_BYTES,
      keepsWords: this.#policy !== undefined,
    })
  }
}

/** Estimates the size of the response's row in the database. */
export function bytesOfResponse({ content, itemIds }: StoredResponse): number {
  const words = content.type === 'present' ? content.input.length + content.response.length : 0
  return ROW_BYTES + words + itemIds.length * 128
}

function bytesOfChange(change: StoredResponseChange): number {
  return change.type === 'put' ? bytesOfResponse(change.response) : ROW_BYTES
}

/** Joins two changes of one response that are written at once. An extension changes only the expiry. */
function join(before: StoredResponseChange | undefined, change: StoredResponseChange): StoredResponseChange {
  if (change.type !== 'extend' || before === undefined || before.type === 'extend') return change
  if (before.type === 'delete') return before
  return { type: 'put', response: { ...before.response, expiresAtMs: change.expiresAtMs } }
}

function responseOf(change: StoredResponseChange): StoredResponse | undefined {
  return change.type === 'put' ? change.response : undefined
}

function nameOfChange(change: StoredResponseChange): string {
  return change.type === 'put'
    ? nameOf(change.response.keyId, change.response.id)
    : nameOf(change.keyId, change.id)
}

function nameOf(keyId: KeyId, id: string): string {
  return `${keyId} ${id}`
}
