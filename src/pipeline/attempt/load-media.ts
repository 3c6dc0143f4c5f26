import {
  findAddresses,
  type MediaAddress,
  type MediaKind,
  mediaKinds,
  replaceAddresses,
} from '../../canonical/media.ts'
import type { Target } from '../../catalog/catalog.ts'
import { dialectOf } from '../../providers/registry.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { Exchange } from '../exchange/exchange.ts'
import {
  fetchMedia,
  type MediaDependencies,
  type MediaFault,
  type MediaInput,
  type NeededMedia,
  refuseMedia,
} from './fetch-media.ts'
import { mediaNameOf } from './fetched-media.ts'

/** The request in the form that the target accepts. */
export type LoadedMedia = { readonly type: 'loaded'; readonly exchange: Exchange } | MediaFault

/**
 * The addresses that can be fetched. Others, such as those of a provider's own store, have a meaning only for the
 * provider.
 */
const WEB_ADDRESS = /^https?:/i

/**
 * Prepares the request for a target that needs the bytes of files: files at addresses are fetched, once for each
 * request. Every other request does not change. A failure names the caller's field whose file could not be fetched.
 */
export function loadMedia(
  input: MediaInput,
  { target }: Candidate,
  dependencies: MediaDependencies,
): LoadedMedia | Promise<LoadedMedia> {
  const { exchange } = input
  const asItIs = { type: 'loaded', exchange } as const
  // A plain prompt has no place for a file, so it is not read here.
  if (exchange.kind !== 'conversation' || exchange.format.isTextAlone === true) return asItIs
  const kinds = kindsNeeded(target, dependencies)
  // Between equal formats, a file's bytes have another field than its address, so only images are searched for.
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

/** The needed kinds of each target, since every attempt asks for them. */
const cache = new WeakMap<Target, NeededKinds>()

function kindsNeeded(target: Target, { providers, formats }: MediaDependencies): NeededKinds {
  const cached = cache.get(target)
  if (cached !== undefined) return cached
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
  cache.set(target, needed)
  return needed
}

async function load(input: NeededMedia, addresses: readonly MediaAddress[]): Promise<LoadedMedia> {
  const { exchange, fetchedMedia, media } = input
  const [first] = addresses
  if (first === undefined) return { type: 'loaded', exchange }
  if (media === undefined)
    return refuseMedia(exchange, first, 'is not fetched, since the operator of this gateway turned that off')
  if (addresses.length > media.maxCount) {
    return refuseMedia(
      exchange,
      first,
      `is one of ${addresses.length}, and at most ${media.maxCount} are fetched for a request`,
    )
  }
  const waiting = addresses.filter((address) => !fetchedMedia.sources.has(mediaNameOf(address)))
  if (waiting.length > 0) {
    const ended = await fetchMedia({ ...input, media }, waiting)
    if (ended !== undefined) return ended
  }
  const { sources } = fetchedMedia
  const replaced = exchange
    .readRequests()
    .map((request) => replaceAddresses(request, (address) => sources.get(mediaNameOf(address))))
  const source = { type: 'rewritten' } as const
  return { type: 'loaded', exchange: { ...exchange, readRequests: () => replaced, source } }
}
