import type { Clock, Timer } from '../kit/time/clock.ts'
import { reasonOf } from '../kit/values/reason-of.ts'
import type { Channel } from './channel.ts'
import { publicNameSchema } from './public-name-schema.ts'

/** Asks a channel's upstream for the names of its models. Rejects where the answer is no list, and on the signal. */
export type FetchModelList = (channel: Channel, signal: AbortSignal) => Promise<readonly string[]>

export interface ModelListParts {
  readonly channels: readonly Channel[]
  /** Lists that are known already, by the channel's name. */
  readonly known?: ReadonlyMap<string, readonly string[]>
  readonly fetchList: FetchModelList
  readonly clock: Clock
  /** Called with all lists whenever one of them became another. */
  readonly onChange: (lists: ReadonlyMap<string, readonly string[]>) => void
  /** Told why a list could not be read, again only when the reason is another. */
  readonly onFailure?: (channelName: string, reason: string) => void
}

/** The lists of the channels that serve whatever their upstream lists. */
export interface ModelLists {
  /** Asks every upstream, and keeps asking. Resolves when each whose list is not known has answered or failed once. */
  start(): Promise<void>
  /** The last good list of each channel, by the channel's name; none where there was none yet. */
  current(): ReadonlyMap<string, readonly string[]>
  /** Why the last try to read a channel's list failed, by the channel's name; none where it succeeded. */
  faults(): ReadonlyMap<string, string>
  close(): void
}

const REFRESH_MS = 300_000
const FIRST_RETRY_MS = 5_000
/** An upstream that has not told its list by then has failed. */
const ANSWER_LIMIT_MS = 10_000
/** A list beyond this is cut: it is an upstream's mistake, and every name costs memory. */
const MAX_NAMES = 10_000

/** After a failure the next try comes after 5 s, then 10 s, doubling to 5 min; the last good list stays. */
export function createModelLists(parts: ModelListParts): ModelLists {
  const { channels, fetchList, clock, onChange } = parts
  const listed = channels.filter(({ models }) => models.type === 'listed')
  const timers = new Map<string, Timer>()
  const reasons = new Map<string, string>()
  let lists: ReadonlyMap<string, readonly string[]> = parts.known ?? new Map()
  const closing = new AbortController()
  let isClosed = false

  async function refresh(channel: Channel, retryMs: number): Promise<void> {
    const names = await fetchInTime(channel).then(cleanNames, (error: unknown) => {
      if (!isClosed) recordFailure(channel.name, reasonOf(error))
    })
    if (isClosed) return
    if (names !== undefined) accept(channel.name, names)
    const waitMs = names === undefined ? retryMs : REFRESH_MS
    const nextRetryMs = names === undefined ? Math.min(retryMs * 2, REFRESH_MS) : FIRST_RETRY_MS
    timers.set(
      channel.name,
      clock.startTimer(waitMs, () => void refresh(channel, nextRetryMs)),
    )
  }

  function recordFailure(channelName: string, reason: string): void {
    if (reasons.get(channelName) === reason) return
    reasons.set(channelName, reason)
    parts.onFailure?.(channelName, reason)
  }

  async function fetchInTime(channel: Channel): Promise<readonly string[]> {
    const late = new AbortController()
    const timer = clock.startTimer(ANSWER_LIMIT_MS, () => late.abort())
    try {
      return await fetchList(channel, AbortSignal.any([late.signal, closing.signal]))
    } finally {
      timer.cancel()
    }
  }

  function accept(channelName: string, names: readonly string[]): void {
    reasons.delete(channelName)
    const known = lists.get(channelName)
    if (known !== undefined && isSame(known, names)) return
    lists = new Map([...lists, [channelName, names]])
    onChange(lists)
  }

  return {
    async start() {
      const asked = listed.map((channel) => ({ channel, answered: refresh(channel, FIRST_RETRY_MS) }))
      const unknown = asked.filter(({ channel }) => parts.known?.has(channel.name) !== true)
      await Promise.all(unknown.map(({ answered }) => answered))
    },
    current: () => lists,
    faults: () => reasons,
    close() {
      isClosed = true
      closing.abort()
      for (const timer of timers.values()) timer.cancel()
      timers.clear()
    },
  }
}

/** Sorted, each once; what cannot be a model's name is left out. */
function cleanNames(names: readonly string[]): readonly string[] {
  const usable = names.filter((name) => publicNameSchema.safeParse(name).success)
  return [...new Set(usable)].sort().slice(0, MAX_NAMES)
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, index) => name === right[index])
}
