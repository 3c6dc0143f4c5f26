import type { MediaSource } from '../../canonical/content.ts'
import { createFailure, type Failure, isFailure } from '../../canonical/failure.ts'
import type { ChannelFormatId } from '../../canonical/format.ts'
import {
  findAddresses,
  type MediaAddress,
  type MediaKind,
  mediaKinds,
  replaceAddresses,
} from '../../canonical/media.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { MediaPolicy } from '../../catalog/media-schema.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import { dialectOf } from '../../providers/registry.ts'
import type { Candidate } from '../../routing/candidate.ts'
import { FileRefusedError, fetchFile } from '../../upstream/fetch-file.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import type { ChannelFormat } from '../../wire/wire-format.ts'
import type { ConversationExchange, Exchange } from '../exchange/exchange.ts'
import { fetchesOfKey, type MediaBudget, type MediaHold } from '../exchange/media-budget.ts'
import type { CallerConnection } from '../response/caller-connection.ts'

export interface MediaInput {
  readonly exchange: Exchange
  /** The files that any attempt of the request has fetched. */
  readonly fetchedMedia: FetchedMedia
  readonly callerConnection: CallerConnection
  readonly deadlineAtMs: number
}

export interface MediaDependencies {
  readonly providers: ProviderRegistry
  readonly formats: Readonly<Record<ChannelFormatId, ChannelFormat>>
  /** Undefined where no file behind a caller's address is fetched. */
  readonly media: MediaPolicy | undefined
  /** The budget of the whole process, whatever the configuration. */
  readonly mediaBudget: MediaBudget
  readonly upstream: Upstream
  readonly userAgent: string
  readonly clock: Clock
}

/** The request as the target takes it. */
export type LoadedMedia =
  | { readonly type: 'loaded'; readonly exchange: Exchange }
  | { readonly type: 'caller-gone' }
  | Failure

/** Other addresses, such as those of a provider's own store, mean something to the provider alone. */
const WEB_ADDRESS = /^https?:/i

/** Files that one request fetches at one time. */
const MAX_PARALLEL_FETCHES = 4

const mediaTypePrefixes = { image: 'image/', document: 'application/pdf', video: 'video/' } as const

/**
 * The request as a target takes it that needs bytes: what stands behind an address is fetched, once for each request.
 * Every other request stays as it is. A failure says which of the caller's fields could not be had.
 */
export function loadMedia(
  input: MediaInput,
  { target }: Candidate,
  dependencies: MediaDependencies,
): LoadedMedia | Promise<LoadedMedia> {
  const { exchange } = input
  const asItIs = { type: 'loaded', exchange } as const
  // A plain prompt has no place for a file, and is not read where the channel takes it as it is.
  if (exchange.kind !== 'conversation' || exchange.format.isTextAlone === true) return asItIs
  const kinds = kindsNeeded(target, dependencies)
  // The bytes of a file have another field than its address between equal formats, so that only images are looked for.
  const wanted = exchange.format.id === target.channel.format ? kinds.asIs : kinds.translated
  if (wanted.length === 0) return asItIs
  const requests = exchange.readRequests()
  const addresses = requests
    .flatMap((request) => findAddresses(request, wanted))
    .filter(({ url }) => WEB_ADDRESS.test(url))
  return addresses.length === 0 ? asItIs : load({ ...input, ...dependencies, exchange }, addresses)
}

interface NeededKinds {
  readonly asIs: readonly MediaKind[]
  readonly translated: readonly MediaKind[]
}

/** The needed kinds by target, since every attempt asks for them. */
const known = new WeakMap<Target, NeededKinds>()

function kindsNeeded(target: Target, { providers, formats }: MediaDependencies): NeededKinds {
  const before = known.get(target)
  if (before !== undefined) return before
  const provider = providers.find(target.channel.provider)
  const format = formats[target.channel.format]
  const dialect = provider === undefined ? undefined : dialectOf(provider, target)
  const needed: NeededKinds =
    dialect === undefined
      ? { asIs: [], translated: [] }
      : {
          asIs: mediaKinds.filter((kind) => !dialect.mediaAddresses.includes(kind) && kind !== 'document'),
          translated: mediaKinds.filter(
            (kind) => format.needsBytes?.(kind, dialect) ?? !dialect.mediaAddresses.includes(kind),
          ),
        }
  known.set(target, needed)
  return needed
}

async function load(input: NeededMedia, addresses: readonly MediaAddress[]): Promise<LoadedMedia> {
  const { exchange, fetchedMedia, media } = input
  const [first] = addresses
  if (first === undefined) return { type: 'loaded', exchange }
  if (media === undefined)
    return refuse(exchange, first, 'is not fetched, since the operator of this gateway turned that off')
  if (addresses.length > media.maxCount) {
    return refuse(
      exchange,
      first,
      `is one of ${addresses.length}, and at most ${media.maxCount} are fetched for a request`,
    )
  }
  const waiting = addresses.filter((address) => !fetchedMedia.sources.has(nameOf(address)))
  if (waiting.length > 0) {
    const ended = await fetchWithRoom({ ...input, media }, waiting)
    if (ended !== undefined) return ended
  }
  const { sources } = fetchedMedia
  const replaced = exchange
    .readRequests()
    .map((request) => replaceAddresses(request, (address) => sources.get(nameOf(address))))
  const source = { type: 'rewritten' } as const
  return { type: 'loaded', exchange: { ...exchange, readRequests: () => replaced, source } }
}

function nameOf({ kind, url }: MediaAddress): string {
  return `${kind} ${url}`
}

/** Nothing is asked for before there is room for the most that may come. Undefined where all was had. */
async function fetchWithRoom(
  loading: Loading,
  addresses: readonly MediaAddress[],
): Promise<Exclude<LoadedMedia, { readonly type: 'loaded' }> | undefined> {
  const { exchange, fetchedMedia, mediaBudget, media } = loading
  const { callerRequest } = exchange
  const ofRequest = Math.min(media.maxTotalBytes, media.maxHeldBytesOfKey) - fetchedMedia.heldBytes
  const need = {
    keyId: callerRequest.caller.keyId,
    bytes: Math.max(0, Math.min(ofRequest, addresses.length * media.maxBytes)),
    fetches: Math.min(MAX_PARALLEL_FETCHES, addresses.length, fetchesOfKey(media)),
    limits: media,
  }
  const wait = watchForEnd(loading)
  const hold = await mediaBudget.reserve(need, wait.signal)
  wait.timer.cancel()
  if (wait.reason === 'left') {
    hold?.release()
    return { type: 'caller-gone' }
  }
  if (hold === undefined) return createFailure('media_over_capacity')
  fetchedMedia.keep(hold)
  const end = watchForEnd(loading)
  const { failure, heldBytes } = await fetchAll({ ...loading, signal: end.signal, hold }, addresses)
  end.timer.cancel()
  hold.shrink(heldBytes)
  return end.reason === 'left' ? { type: 'caller-gone' } : failure
}

/** Waiting and fetching end with the caller's leaving, with the process, or when it took too long. */
function watchForEnd({ clock, callerConnection, deadlineAtMs, media: { timeoutMs } }: Loading) {
  const stop = new AbortController()
  const leftMs = Math.max(0, deadlineAtMs - clock.monotonicMs())
  const end: { reason: 'left' | 'stopped' | 'late' | undefined } = { reason: undefined }
  const finish = (reason: 'left' | 'stopped' | 'late') => {
    end.reason ??= reason
    stop.abort(new FileRefusedError(words[reason](timeoutMs)))
  }
  const timer = clock.startTimer(Math.min(timeoutMs, leftMs), () => finish('late'))
  callerConnection.listen({
    onDrain: () => undefined,
    onGone: () => finish('left'),
    onStop: () => finish('stopped'),
  })
  return {
    timer,
    signal: stop.signal,
    get reason() {
      return end.reason
    },
  }
}

const words = {
  late: (timeoutMs: number) => `did not come within ${timeoutMs} ms`,
  stopped: () => 'was being fetched when this gateway had to end',
  left: () => 'was being fetched when the caller left',
} as const

interface NeededMedia extends MediaInput, MediaDependencies {
  readonly exchange: ConversationExchange
}

interface Loading extends NeededMedia {
  readonly media: MediaPolicy
}

interface Fetching extends Loading {
  readonly signal: AbortSignal
  readonly hold: MediaHold
}

/**
 * All that comes counts towards the room of the request, whichever file it is of, as it comes. The first file that
 * cannot be had ends the fetching of the others, which would be of no use.
 */
async function fetchAll(fetching: Fetching, addresses: readonly MediaAddress[]) {
  const { sources } = fetching.fetchedMedia
  const waiting = [...addresses]
  let bytesLeft = fetching.hold.bytes
  let heldBytes = 0
  let failure: Failure | undefined
  const others = new AbortController()
  const signal = AbortSignal.any([fetching.signal, others.signal])
  function reserveBytes(count: number): boolean {
    bytesLeft -= count
    return bytesLeft >= 0
  }
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined && failure === undefined; next = waiting.shift()) {
      const fetched = await fetchOne({ ...fetching, signal }, next, reserveBytes)
      if (isFailure(fetched)) {
        failure ??= fetched
        others.abort(new FileRefusedError('is not needed, since another file could not be had'))
        return
      }
      heldBytes += fetched.bytes.length
      const data = fetched.bytes.toString('base64')
      sources.set(nameOf(next), { type: 'base64', mediaType: fetched.mediaType, data })
    }
  }
  await Promise.all(Array.from({ length: fetching.hold.fetches }, work))
  return { failure, heldBytes }
}

async function fetchOne(
  { exchange, upstream, userAgent, media, signal }: Fetching,
  address: MediaAddress,
  reserveBytes: (count: number) => boolean,
) {
  const request = {
    url: address.url,
    maxBytes: media.maxBytes,
    reserveBytes,
    allowPrivate: media.allowPrivate,
    connectTimeoutMs: media.timeoutMs,
    userAgent,
    mediaTypePrefix: mediaTypePrefixes[address.kind],
  }
  try {
    return await fetchFile(upstream, request, signal)
  } catch (error) {
    if (error instanceof FileRefusedError) return refuse(exchange, address, error.message)
    throw error
  }
}

/** Names the caller's own field. Addresses can hold secrets, so that none is repeated. */
function refuse({ format }: ConversationExchange, { kind }: MediaAddress, reason: string): Failure {
  const param = format.addressParam ?? format.paramOf({ feature: kind, kind: 'dropped' })
  return createFailure('media_unavailable', {
    param,
    message: `The channel for this model takes the bytes of a file and not its address, and the ${kind} of "${param}" ${reason}. Send it as a data: URL, or as the bytes in base64.`,
  })
}

/** Files that were fetched for one request, and what they take of the budget until it ends. */
export class FetchedMedia implements Disposable {
  #sources: Map<string, MediaSource> | undefined
  readonly #holds: MediaHold[] = []

  /** The sources by kind and address. */
  get sources(): Map<string, MediaSource> {
    this.#sources ??= new Map()
    return this.#sources
  }

  get heldBytes(): number {
    return this.#holds.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  keep(hold: MediaHold): void {
    this.#holds.push(hold)
  }

  [Symbol.dispose](): void {
    this.#sources = undefined
    for (const hold of this.#holds.splice(0)) hold.release()
  }
}
