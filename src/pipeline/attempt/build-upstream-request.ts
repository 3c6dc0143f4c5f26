import type { Channel, Credential } from '../../catalog/channel.ts'
import { addMembers } from '../../kit/collections/add-members.ts'
import { authHeaders, type Provider } from '../../providers/provider.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { UpstreamRequest } from '../../upstream/upstream.ts'
import { heldParts } from '../../upstream/upstream-body.ts'
import type { Lane } from '../lane/lane.ts'

export interface UpstreamRequestInput {
  readonly lane: Pick<Lane, 'origin' | 'path' | 'headers' | 'body'>
  readonly candidate: Candidate
  readonly provider: Provider
  readonly isStream: boolean
  readonly userAgent: string
  /** Whether the call needs a new connection. A call that broke off on a reused connection is sent once more. */
  readonly onNewConnection: boolean
}

/** Builds the request of one attempt. Only the channel or its provider decides the destination. */
export function buildUpstreamRequest(input: UpstreamRequestInput): UpstreamRequest {
  const { lane, candidate, provider, isStream, userAgent, onNewConnection } = input
  const { channel } = candidate.target
  const { origin, basePath } =
    lane.origin === undefined ? endpointOf(channel) : { origin: lane.origin, basePath: '' }
  const { credential } = candidate
  const ours = { provider, channel, credential, userAgent, isStream }
  const authorization = authorizationOf(provider, channel, credential)
  return {
    method: 'POST',
    origin,
    pathAndQuery: basePath + lane.path,
    headers: headersOf(ours, lane.headers),
    body: lane.body,
    connectTimeoutMs: channel.timeouts.connectMs,
    tlsTimeoutMs: channel.timeouts.tlsMs,
    allowPrivate: channel.allowPrivate,
    proxy: channel.proxy,
    authorities: channel.authorities,
    mayInflate: true,
    onNewConnection,
    authorize: authorization?.authorize,
    onRefused: authorization?.onRefused,
    isRefusal: authorization?.isRefusal,
  }
}

interface HeaderTerms {
  readonly provider: Provider
  readonly channel: Channel
  readonly credential: Credential | undefined
  readonly userAgent: string
  readonly isStream: boolean
}

interface KnownHeaders {
  readonly terms: HeaderTerms
  readonly headers: Readonly<Record<string, string>>
}

/** The last headers for each object that holds the key, since the requests of one client resemble each other. */
const knownHeaders = new WeakMap<Credential | Channel, KnownHeaders>()

function headersOf(
  terms: HeaderTerms,
  forwarded: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (!isEmpty(forwarded)) return writeHeaders(terms, forwarded)
  const owner = terms.credential ?? terms.channel
  const cached = knownHeaders.get(owner)
  if (cached !== undefined && isSame(cached.terms, terms)) return cached.headers
  const headers = writeHeaders(terms, forwarded)
  knownHeaders.set(owner, { terms, headers })
  return headers
}

function isEmpty(object: Readonly<Record<string, string>>): boolean {
  for (const _name in object) return false
  return true
}

function isSame(one: HeaderTerms, other: HeaderTerms): boolean {
  return (
    one.isStream === other.isStream &&
    one.channel === other.channel &&
    one.credential === other.credential &&
    one.provider === other.provider &&
    one.userAgent === other.userAgent
  )
}

/** Writes the headers of a call. The channel's own headers win. */
function writeHeaders(
  { provider, channel, credential, userAgent, isStream }: HeaderTerms,
  forwarded: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: isStream ? (provider.streamAccept ?? 'text/event-stream') : 'application/json',
    'accept-encoding': 'identity',
    'user-agent': userAgent,
  }
  addMembers(headers, provider.headers)
  addMembers(headers, forwarded)
  addMembers(headers, authHeaders(provider, channel, credential?.secret))
  return headers
}

interface Endpoint {
  readonly origin: string
  /** The base path, without a slash at its end. */
  readonly basePath: string
}

/** The endpoint of each channel, so that its address is parsed once and not for each request. */
const endpoints = new WeakMap<Channel, Endpoint>()

export function endpointOf(channel: Channel): Endpoint {
  const cached = endpoints.get(channel)
  if (cached !== undefined) return cached
  const { origin, pathname } = new URL(channel.baseUrl)
  const endpoint = { origin, basePath: pathname.replace(/\/$/, '') }
  endpoints.set(channel, endpoint)
  return endpoint
}

/**
 * The authorization of a call without a key of the channel; undefined where the channel has a key or the operator set
 * an `authorization` header.
 */
export function authorizationOf(
  provider: Provider,
  channel: Channel,
  credential: Credential | undefined,
): Pick<UpstreamRequest, 'authorize' | 'onRefused' | 'isRefusal'> | undefined {
  const { authorizer } = provider
  if (authorizer === undefined || credential !== undefined) return undefined
  if (channel.headers['authorization'] !== undefined) return undefined
  return {
    authorize: (request) => authorizer.authorize({ ...request, body: heldParts(request.body), channel }),
    onRefused:
      authorizer.refused === undefined ? undefined : (headers) => authorizer.refused?.(channel, headers),
    isRefusal: authorizer.isRefusal,
  }
}
