import type { MediaSource } from '../canonical/content.ts'
import { createFailure, type Failure } from '../canonical/failure.ts'
import {
  findAddresses,
  type MediaAddress,
  type MediaKind,
  mediaKinds,
  replaceAddresses,
} from '../canonical/media.ts'
import type { Target } from '../catalog/catalog.ts'
import type { MediaPolicy } from '../catalog/media-schema.ts'
import { dialectOf } from '../providers/dialect-of.ts'
import type { Candidate } from '../routing/candidate.ts'
import { FileRefusedError, fetchFile } from '../upstream/fetch-file.ts'
import type { CallerLink } from './caller-link.ts'
import type { ConversationExchange, Exchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'

export interface MediaInput {
  readonly exchange: Exchange
  readonly gateway: Gateway
  readonly callerLink: CallerLink
  readonly deadlineAtMs: number
}

/** Others, such as those of a provider's own store, mean something to the provider alone. */
const WEB_ADDRESS = /^https?:/i

/** Files that one request fetches at one time. */
const AT_ONCE = 4

const mediaTypePrefixes = { image: 'image/', document: 'application/pdf', video: 'video/' } as const

/**
 * The request as a target takes it that needs bytes: what stands behind an address is fetched, once for each request.
 * Every other request is given back as it is. A failure says which of the caller's fields could not be had.
 */
export function loadMedia(
  input: MediaInput,
  { target }: Candidate,
): Exchange | Promise<Exchange | Failure | 'left'> {
  const { exchange, gateway } = input
  // A plain prompt has no place for a file, and is not read where the channel takes it as it is.
  if (exchange.kind !== 'conversation' || exchange.format.id === 'completions') return exchange
  const kinds = kindsNeeded(target, gateway)
  // Between equal formats the bytes of a file have another field than its address, so that only images are looked for.
  const wanted = exchange.format.id === target.channel.format ? kinds.asIs : kinds.translated
  if (wanted.length === 0) return exchange
  const requests = exchange.readRequests()
  const addresses = requests
    .flatMap((request) => findAddresses(request, wanted))
    .filter(({ url }) => WEB_ADDRESS.test(url))
  return addresses.length === 0 ? exchange : load(input, exchange, addresses)
}

interface NeededKinds {
  readonly asIs: readonly MediaKind[]
  readonly translated: readonly MediaKind[]
}

/** By target, since it is asked for with every attempt. */
const known = new WeakMap<Target, NeededKinds>()

function kindsNeeded(target: Target, { providers, formats }: Gateway): NeededKinds {
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

async function load(
  input: MediaInput,
  exchange: ConversationExchange,
  addresses: readonly MediaAddress[],
): Promise<Exchange | Failure | 'left'> {
  const { media } = input.gateway
  const [first] = addresses
  if (first === undefined) return exchange
  if (media === undefined)
    return refuse(exchange, first, 'is not fetched, since the operator of this gateway turned that off')
  if (addresses.length > media.maxCount) {
    return refuse(
      exchange,
      first,
      `is one of ${addresses.length}, and at most ${media.maxCount} are fetched for a request`,
    )
  }
  const stop = new AbortController()
  const end = watchForEnd(input, media, stop)
  try {
    const sources = await fetchAll({ ...input, exchange, media, signal: stop.signal }, addresses)
    if (end.reason === 'left') return 'left'
    if ('code' in sources) return sources
    const replaced = exchange
      .readRequests()
      .map((request) => replaceAddresses(request, ({ kind, url }) => sources.get(`${kind} ${url}`)))
    return { ...exchange, readRequests: () => replaced, isRewritten: true }
  } finally {
    end.timer.cancel()
  }
}

/** The fetching ends with the caller's leaving, with the process, or when it took too long. */
function watchForEnd(
  { gateway, callerLink, deadlineAtMs }: MediaInput,
  { timeoutMs }: MediaPolicy,
  stop: AbortController,
) {
  const leftMs = Math.max(0, deadlineAtMs - gateway.clock.monotonicMs())
  const end: { reason: 'left' | 'stopped' | 'late' | undefined } = { reason: undefined }
  const finish = (reason: 'left' | 'stopped' | 'late') => {
    end.reason ??= reason
    stop.abort(new FileRefusedError(words[reason](timeoutMs)))
  }
  const timer = gateway.clock.startTimer(Math.min(timeoutMs, leftMs), () => finish('late'))
  callerLink.listen({
    onDrain: () => undefined,
    onGone: () => finish('left'),
    onStop: () => finish('stopped'),
  })
  return {
    timer,
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

interface Fetching extends MediaInput {
  readonly exchange: ConversationExchange
  readonly media: MediaPolicy
  readonly signal: AbortSignal
}

async function fetchAll(
  fetching: Fetching,
  addresses: readonly MediaAddress[],
): Promise<ReadonlyMap<string, MediaSource> | Failure> {
  const { exchange, media } = fetching
  const sources = exchange.fetchedMedia()
  const waiting = addresses.filter(({ kind, url }) => !sources.has(`${kind} ${url}`))
  let bytesLeft = media.maxTotalBytes
  let failure: Failure | undefined
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined && failure === undefined; next = waiting.shift()) {
      const fetched = await fetchOne(fetching, next, Math.min(media.maxBytes, bytesLeft))
      if ('code' in fetched) failure ??= fetched
      else {
        bytesLeft -= fetched.bytes.length
        const data = fetched.bytes.toString('base64')
        sources.set(`${next.kind} ${next.url}`, { type: 'base64', mediaType: fetched.mediaType, data })
        if (bytesLeft < 0)
          failure ??= refuse(exchange, next, 'makes the files of this request too large together')
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return failure ?? sources
}

async function fetchOne(
  { exchange, gateway, media, signal }: Fetching,
  address: MediaAddress,
  maxBytes: number,
) {
  const request = {
    url: address.url,
    maxBytes,
    allowPrivate: media.allowPrivate,
    connectTimeoutMs: media.timeoutMs,
    userAgent: gateway.userAgent,
    mediaTypePrefix: mediaTypePrefixes[address.kind],
  }
  try {
    return await fetchFile(gateway.upstream, request, signal)
  } catch (error) {
    if (error instanceof FileRefusedError) return refuse(exchange, address, error.message)
    throw error
  }
}

/** Names the caller's own field. Addresses can hold secrets, so that none is repeated. */
function refuse({ format }: ConversationExchange, { kind }: MediaAddress, reason: string): Failure {
  const param = format.paramOf({ feature: kind, kind: 'dropped' })
  return createFailure('media_unavailable', {
    param,
    message: `The channel for this model takes the bytes of a file and not its address, and the ${kind} of "${param}" ${reason}. Send it as a data: URL, or as the bytes in base64.`,
  })
}
