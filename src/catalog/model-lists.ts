import { reasonOf } from '../kit/errors/reason-of.ts'
import type { Clock, Timer } from '../kit/time/clock.ts'
import type { Channel } from './channel.ts'
import { publicNameSchema } from './public-name-schema.ts'

/** Asks a channel's upstream for the names of its models. Rejects where the answer is no list, and on the signal. */
export type FetchModelList = (channel: Channel, signal: AbortSignal) => Promise<readonly string[]>

export interface ModelListOptions {
  readonly channels: readonly Channel[]
  /** Lists that are known already, by the channel's name. */
  readonly known?: ReadonlyMap<string, readonly string[]>
  readonly fetchList: FetchModelList
  readonly clock: Clock
  /** Called with all lists whenever one of them became another. */
  readonly onChange: (lists: ReadonlyMap<string, readonly string[]>) => void
  /** Called with the reason when a list cannot be read, and again when the reason changes. */
  readonly onFailure?: (channelName: string, reason: string) => void
}

/** The lists of the channels that serve whatever their upstream lists. */
export interface ModelLists {
  /** Asks every upstream, and keeps asking. Resolves when each whose list is not known has answered or failed once. */
  start(): Promise<void>
  /** The last good list of each channel, by the channel's name; none where there was none yet. */
  current(): ReadonlyMap<string, readonly string[]>
  /** The reasons why the last tries to read lists failed, by the channel's name; none where one succeeded. */
  faults(): ReadonlyMap<string, string>
  close(): void
}

const REFRESH_MS = 300_000
const FIRST_RETRY_MS = 5_000
/** An upstream without an answer by then has failed. */
const ANSWER_LIMIT_MS = 10_000
/** A list beyond this is cut: it is an upstream's mistake, and every name costs memory. */
const MAX_NAMES = 10_000

/**
 * Keeps the lists of upstreams. After a failure the next try comes after 5 s, then 10 s, doubling to 5 min; the last
 * good list stays.
 */
export function createModelLists(options: ModelListOptions): ModelLists {
  return new RefreshedModelLists(options)
}

class RefreshedModelLists implements ModelLists {
  readonly #options: ModelListOptions
  readonly #timers = new Map<string, Timer>()
  readonly #reasons = new Map<string, string>()
  readonly #closing = new AbortController()
  #lists: ReadonlyMap<string, readonly string[]>

  constructor(options: ModelListOptions) {
    this.#options = options
    this.#lists = options.known ?? new Map()
  }

  async start(): Promise<void> {
    const { channels, known } = this.#options
    const listed = channels.filter(({ models }) => models.type === 'listed')
    const asked = listed.map((channel) => ({ channel, answered: this.#refresh(channel, FIRST_RETRY_MS) }))
    const unknown = asked.filter(({ channel }) => known?.has(channel.name) !== true)
    await Promise.all(unknown.map(({ answered }) => answered))
  }

  current(): ReadonlyMap<string, readonly string[]> {
    return this.#lists
  }

  faults(): ReadonlyMap<string, string> {
    return this.#reasons
  }

  close(): void {
    this.#closing.abort()
    for (const timer of this.#timers.values()) timer.cancel()
    this.#timers.clear()
  }

  async #refresh(channel: Channel, retryMs: number): Promise<void> {
    const names = await this.#fetchInTime(channel).then(cleanNames, (error: unknown) => {
      if (!this.#isClosed()) this.#recordFailure(channel.name, reasonOf(error))
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
    this.#reasons.delete(channelName)
    const known = this.#lists.get(channelName)
    if (known !== undefined && isSame(known, names)) return
    this.#lists = new Map([...this.#lists, [channelName, names]])
    this.#options.onChange(this.#lists)
  }

  #recordFailure(channelName: string, reason: string): void {
    if (this.#reasons.get(channelName) === reason) return
    this.#reasons.set(channelName, reason)
    this.#options.onFailure?.(channelName, reason)
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted
  }
}

/** The names sorted, each once; what cannot be a model's name is left out. */
function cleanNames(names: readonly string[]): readonly string[] {
  const usable = names.filter((name) => publicNameSchema.safeParse(name).success)
  return [...new Set(usable)].sort().slice(0, MAX_NAMES)
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, index) => name === right[index])
}
