import type { Channel } from '../catalog/channel.ts'
import { authHeaders, type Provider } from '../providers/provider.ts'
import type { Candidate } from '../routing/candidate.ts'
import type { UpstreamRequest } from '../upstream/upstream.ts'
import { authorizationOf } from './authorization-of.ts'
import type { Lane } from './lane.ts'

export interface UpstreamRequestInput {
  readonly lane: Lane
  readonly candidate: Candidate
  readonly provider: Provider
  readonly exchange: { readonly scanned: { readonly stream: boolean } }
  readonly userAgent: string
  /** A call that broke off on a kept connection is sent once more. */
  readonly isFresh?: true | undefined
}

/** What goes on the wire for one attempt. The destination comes from the channel alone (law 11). */
export function buildUpstreamRequest(input: UpstreamRequestInput): UpstreamRequest {
  const { lane, candidate, provider, exchange, userAgent, isFresh } = input
  const { channel } = candidate.target
  const { origin, basePath } = endpointOf(channel)
  return {
    method: 'POST',
    origin,
    path: basePath + lane.path,
    headers: {
      'content-type': 'application/json',
      'content-length': String(lane.body.reduce((sum, part) => sum + part.length, 0)),
      accept: exchange.scanned.stream ? (provider.streamAccept ?? 'text/event-stream') : 'application/json',
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      ...provider.headers,
      ...lane.headers,
      ...authHeaders(provider, channel, candidate.credential?.secret),
    },
    body: lane.body,
    connectTimeoutMs: channel.timeouts.connectMs,
    tlsTimeoutMs: channel.timeouts.tlsMs,
    allowPrivate: channel.allowPrivate,
    proxy: channel.proxy,
    authorities: channel.authorities,
    mayInflate: true,
    ...(isFresh && { isFresh }),
    ...authorizationOf(provider, channel, candidate.credential),
  }
}

interface Endpoint {
  readonly origin: string
  /** Without a slash at its end. */
  readonly basePath: string
}

/** A channel's address is taken apart once, not with each request. */
const endpoints = new WeakMap<Channel, Endpoint>()

export function endpointOf(channel: Channel): Endpoint {
  const known = endpoints.get(channel)
  if (known !== undefined) return known
  const { origin, pathname } = new URL(channel.baseUrl)
  const endpoint = { origin, basePath: pathname.replace(/\/$/, '') }
  endpoints.set(channel, endpoint)
  return endpoint
}
