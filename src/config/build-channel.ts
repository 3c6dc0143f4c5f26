import { type ChannelFormatId, channelFormatIds } from '../canonical/format.ts'
import {
  type Breaker,
  type Channel,
  type ChannelModels,
  type Credential,
  defaultBreaker,
  defaultTimeouts,
  type Timeouts,
} from '../catalog/channel.ts'
import type { ChannelInput } from '../catalog/channel-schema.ts'
import { readPassthroughRules } from '../catalog/passthrough-schema.ts'
import { readPriceHistory } from '../catalog/prices/read-price-history.ts'
import { foldMemberName } from '../kit/json/scan-object.ts'
import type { Provider } from '../providers/provider.ts'
import { isPrivateUrl } from './check/check-base-url.ts'

/** Joins a checked entry with its provider's declarations. All channels have the same fields, in the same order. */
export function buildChannel(input: ChannelInput, provider: Provider): Channel {
  return {
    name: input.name,
    provider: provider.id,
    format: channelFormatIds.find((id): id is ChannelFormatId => id === input.format) ?? provider.formats[0],
    baseUrl: resolveBaseUrl(addressOf(input, provider), provider),
    credentials: listCredentials(input),
    settings: input.credentials,
    models: resolveModels(input.models, provider),
    prices: input.prices && resolvePrices(input.name, input.prices),
    priority: input.priority ?? 0,
    weight: input.weight ?? 1,
    headers: lowerNames(input.headers ?? {}),
    timeouts: resolveTimeouts(input.timeouts ?? {}),
    breaker: resolveBreaker(input.breaker),
    healthCheck: typeof input.health_check === 'object' ? input.health_check : undefined,
    concurrency: input.concurrency,
    allowPrivate: provider.isBuiltIn === true || (input.allow_private ?? isOwnDefault(input, provider)),
    // An address that is not valid is listed as a problem, and the other problems beside it.
    proxy: input.proxy === undefined ? undefined : (URL.parse(input.proxy)?.href ?? input.proxy),
    allowFields: new Set(input.allow_fields?.map(foldMemberName)),
    passthrough: input.passthrough && readPassthroughRules(input.name, input.passthrough),
  }
}

function addressOf({ base_url, credentials = {} }: ChannelInput, provider: Provider): string {
  return base_url ?? provider.baseUrlOf?.(credentials) ?? provider.baseUrl ?? ''
}

/**
 * Resolves the base address without a trailing slash, and without the version with which the provider's own paths
 * begin.
 */
function resolveBaseUrl(text: string, provider: Provider): string {
  const bare = text.replace(/\/+$/, '')
  const pathsCarryVersion = Object.values(provider.paths ?? {}).some((path) => path.startsWith('/v1/'))
  return pathsCarryVersion ? bare.replace(/\/v1$/, '') : bare
}

/** Lists the credentials. Some providers also accept the key as `api_key` among `credentials`. */
function listCredentials({ name, api_key, api_keys, credentials }: ChannelInput): readonly Credential[] {
  const key = api_key ?? credentials?.['api_key']
  const secrets = api_keys ?? (key === undefined ? [] : [key])
  return secrets.map((secret, index) => ({ id: `${name}#${index + 1}`, secret }))
}

function resolveModels(models: ChannelInput['models'], provider: Provider): ChannelModels {
  if (models === '*' || (models === undefined && provider.models === undefined)) return { type: 'listed' }
  if (models !== undefined && !Array.isArray(models)) {
    return { type: 'named', upstreamNames: new Map(Object.entries(models)) }
  }
  const names = models ?? provider.models ?? []
  return { type: 'named', upstreamNames: new Map(names.map((name) => [name, name])) }
}

function resolvePrices(
  channel: string,
  given: NonNullable<ChannelInput['prices']>,
): Channel['prices'] & object {
  return new Map(
    Object.entries(given).flatMap(([name, prices]) => {
      const history = readPriceHistory(`channels/${channel}/${name}`, prices)
      return history === undefined ? [] : [[name, history] as const]
    }),
  )
}

function lowerNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function resolveTimeouts(given: NonNullable<ChannelInput['timeouts']>): Timeouts {
  const totalMs = given.total ?? defaultTimeouts.totalMs
  return {
    connectMs: given.connect ?? defaultTimeouts.connectMs,
    tlsMs: given.tls ?? defaultTimeouts.tlsMs,
    headersMs: given.headers,
    wholeHeadersMs: Math.min(totalMs, Math.max(given.headers ?? 0, defaultTimeouts.wholeHeadersMs)),
    firstContentMs: given.first_content,
    idleMs: given.idle,
    progressMs: given.progress ?? defaultTimeouts.progressMs,
    totalMs,
  }
}

function resolveBreaker(given: ChannelInput['breaker']): Breaker | undefined {
  if (given === 'off' || given === false) return undefined
  return given ?? defaultBreaker
}

/**
 * Whether the address is the provider's own default. A default address on this machine is allowed without the
 * operator's permission.
 */
function isOwnDefault(input: ChannelInput, provider: Provider): boolean {
  return (
    input.base_url === undefined && provider.baseUrl !== undefined && isPrivateUrl(new URL(provider.baseUrl))
  )
}
