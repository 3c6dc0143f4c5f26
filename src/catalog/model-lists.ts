import { reasonOf } from '../kit/errors/reason-of.ts'
import type { Clock, Timer } from '../kit/time/clock.ts'
import type { Channel } from './channel.ts'
import { type ListFault, ModelListError } from './list-fault.ts'
import { publicNameSchema } from './public-name-schema.ts'

/** Requests the model list of a channel's upstream. Rejects where the answer is not a list, and on the signal. */
export type FetchModelList = (channel: Channel, signal: AbortSignal) => Promise<readonly string[]>

export interface ModelListOptions {
  readonly channels: readonly Channel[]
  /** Lists that are already known, by the channel's name. */
  readonly known?: ReadonlyMap<string, readonly string[]>
  readonly fetchList: FetchModelList
  readonly clock: Clock
  /** Called with all lists whenever one of them changed. */
  readonly onChange: (lists: ReadonlyMap<string, readonly string[]>) => void
  /** Called with the reason when a list cannot be read, and again when the reason changes. */
  readonly onFailure?: (channelName: string, reason: string) => void
}

/** The model lists of the channels that serve everything their upstream lists. */
export interface ModelLists {
  /**
   * Requests every list, and repeats this. Resolves when each upstream without a known list has answered or failed
   * once.
   */
  start(): Promise<void>
  /** The last good list of each channel, by the channel's name. A channel without a good list is absent. */
  current(): ReadonlyMap<string, readonly string[]>
  /**
   * The faults of the last attempts to read lists, by the channel's name. A channel whose last attempt
   * succeeded is absent.
   */
  faults(): ReadonlyMap<string, ListFault>
  close(): void
}

const REFRESH_MS = 300_000
const FIRST_RETRY_MS = 5_000
/** The timeout of a list request. An upstream that has not answered by then has failed. */
const ANSWER_LIMIT_MS = 10_000
/** The limit of names in a list. A longer list is cut: it is a mistake of the upstream, and every name takes memory. */
const MAX_NAMES = 10_000

/**
 * Maintains the lists of upstreams. After a failure the next retry comes after 5 s, then 10 s, doubling up to 5 min.
 * The last good list stays in use.
 */
export function createModelLists(options: ModelListOptions): ModelLists {
  return new RefreshedModelLists(options)
}

class RefreshedModelLists implements ModelLists {
  readonly #options: ModelListOptions
  readonly #timers = new Map<string, Timer>()
  readonly #faults = new Map<string, ListFault>()
  readonly #closing = new AbortController()
  #lists: ReadonlyMap<string, readonly string[]>

  constructor(options: ModelListOptions) {
    this.#options = options
    this.#lists = options.known ?? new Map()
  }

  async start(): Promise<void> {
    const { channels, known } = this.#options
    const listed = channels.filter(({ models }) => models.type === 'listed')
    const refreshes = listed.map((channel) => ({ channel, answered: this.#refresh(channel, FIRST_RETRY_MS) }))
    const unknown = refreshes.filter(({ channel }) => known?.has(channel.name) !== true)
    await Promise.all(unknown.map(({ answered }) => answered))
  }

  current(): ReadonlyMap<string, readonly string[]> {
    return this.#lists
  }

  faults(): ReadonlyMap<string, ListFault> {
    return this.#faults
  }

  close(): void {
    this.#closing.abort()
    for (const timer of this.#timers.values()) timer.cancel()
    this.#timers.clear()
  }

  async #refresh(channel: Channel, retryMs: number): Promise<void> {
    const names = await this.#fetchInTime(channel).then(cleanNames, (error: unknown) => {
      if (!this.#isClosed()) this.#recordFailure(channel.name, error)
    })
    if (this.#isClosed()) return
    if (names !== undefined) this.#accept(channel.name, names)
    const waitMs = names === undefined ? retryMs : REFRESH_MS
    const nextRetryMs = names === undefined ? Math.min(retryMs * 2, REFRESH_MS) : FIRST_RETRY_MS
    const timer = this.#options.clock.startTimer(waitMs, () => void this.#refresh(channel, nextRetryMs))
    this.#timers.set(channel.name, timer)
  }

  async #fetchInTime(channel: Channel): Promise<readonly string[]> {
    const { fetchList, clock } = this.#options
    const late = new AbortController()
    const timer = clock.startTimer(ANSWER_LIMIT_MS, () => late.abort())
    try {
      return await fetchList(channel, AbortSignal.any([late.signal, this.#closing.signal]))
    } finally {
      timer.cancel()
    }
  }

  #accept(channelName: string, names: readonly string[]): void {
    this.#faults.delete(channelName)
    const known = this.#lists.get(channelName)
    if (known !== undefined && isSame(known, names)) return
    this.#lists = new Map([...this.#lists, [channelName, names]])
    this.#options.onChange(this.#lists)
  }

  #recordFailure(channelName: string, error: unknown): void {
    const message = reasonOf(error)
    if (this.#faults.get(channelName)?.message === message) return
    this.#faults.set(channelName, { message, fact: error instanceof ModelListError ? error.fact : undefined })
    this.#options.onFailure?.(channelName, message)
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted
  }
}

/** Sorts the names and removes duplicates. Texts that cannot be a model's name are left out. */
function cleanNames(names: readonly string[]): readonly string[] {
  const usable = names.filter((name) => publicNameSchema.safeParse(name).success)
  return [...new Set(usable)].sort().slice(0, MAX_NAMES)
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, index) => name === right[index])
}
