import { createFailure, type Failure, isFailure } from '../../canonical/failure.ts'
import type { ChannelFormatId } from '../../canonical/format.ts'
import type { MediaAddress } from '../../canonical/media.ts'
import type { MediaPolicy } from '../../catalog/media-schema.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import { FileRefusedError, fetchFile } from '../../upstream/fetch-file.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import type { ChannelFormat } from '../../wire/wire-format.ts'
import type { ConversationExchange, Exchange } from '../exchange/exchange.ts'
import { fetchesOfKey, type MediaBudget, type MediaHold } from '../exchange/media-budget.ts'
import type { CallerConnection } from '../response/caller-connection.ts'
import { type FetchedMedia, mediaNameOf } from './fetched-media.ts'

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
  /** The policy for fetching files from addresses in requests; undefined where no such file is fetched. */
  readonly media: MediaPolicy | undefined
  /** The budget of the whole process for fetched files. It does not depend on the configuration. */
  readonly mediaBudget: MediaBudget
  readonly upstream: Upstream
  readonly userAgent: string
  readonly clock: Clock
}

/** The reason why files were not fetched. */
export type MediaFault = { readonly type: 'caller-gone' } | Failure

/** The maximum number of files that one request fetches at one time. */
const MAX_PARALLEL_FETCHES = 4

const mediaTypePrefixes = { image: 'image/', document: 'application/pdf', video: 'video/' } as const

/**
 * Fetches the files. Nothing is requested before there is room for the maximum that may arrive. Undefined if all files
 * were fetched.
 */
export async function fetchMedia(
  loading: Loading,
  addresses: readonly MediaAddress[],
): Promise<MediaFault | undefined> {
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

/** Ends the waiting and fetching when the caller disconnects, when the process must end, or after the timeout. */
function watchForEnd({ clock, callerConnection, deadlineAtMs, media: { timeoutMs } }: Loading) {
  const stop = new AbortController()
  const leftMs = Math.max(0, deadlineAtMs - clock.monotonicMs())
  const end: { reason: 'left' | 'stopped' | 'late' | undefined } = { reason: undefined }
  const finish = (reason: 'left' | 'stopped' | 'late') => {
    end.reason ??= reason
    stop.abort(new FileRefusedError(fetchFaults[reason](timeoutMs)))
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

const fetchFaults = {
  late: (timeoutMs: number) => `did not arrive within ${timeoutMs} ms`,
  stopped: () => 'was being fetched when this gateway shut down',
  left: () => 'was being fetched when the caller disconnected',
} as const

export interface NeededMedia extends MediaInput, MediaDependencies {
  readonly exchange: ConversationExchange
}

export interface Loading extends NeededMedia {
  readonly media: MediaPolicy
}

interface Fetching extends Loading {
  readonly signal: AbortSignal
  readonly hold: MediaHold
}

/**
 * Fetches all files. Every byte of any file uses the room of the request as soon as it arrives. The first file that
 * cannot be fetched ends the other fetches, which would be useless.
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
        others.abort(new FileRefusedError('is not needed, since another file could not be fetched'))
        return
      }
      heldBytes += fetched.bytes.length
      const data = fetched.bytes.toString('base64')
      sources.set(mediaNameOf(next), { type: 'base64', mediaType: fetched.mediaType, data })
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
    if (error instanceof FileRefusedError) return refuseMedia(exchange, address, error.message)
    throw error
  }
}

/**
 * The failure of a file that could not be fetched. It names the caller's own field. It does not repeat the address,
 * which can hold secrets.
 */
export function refuseMedia(
  { format }: ConversationExchange,
  { kind }: MediaAddress,
  reason: string,
): Failure {
  const param = format.addressParam ?? format.paramOf({ feature: kind, kind: 'dropped' })
  return createFailure('media_unavailable', {
    param,
    message: `The channel for this model takes the bytes of a file and not its address, and the ${kind} of "${param}" ${reason}. Send it as a data: URL, or as the bytes in base64.`,
  })
}
