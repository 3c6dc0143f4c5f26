import { channelFormatIds } from '../../canonical/format.ts'
import type { ChannelInput } from '../../catalog/channel-schema.ts'
import { foldMemberName } from '../../kit/json/scan-object.ts'
import { type InputFact, unknownName, withFact } from '../../kit/schema/input-fact.ts'
import { nearestName } from '../../kit/schema/nearest-name.ts'
import { listsModels, type Provider, type ProviderRegistry } from '../../providers/provider.ts'
import type { PathProblem } from '../source/substitute-variables.ts'
import { checkBaseUrl } from './check-base-url.ts'
import { checkProxyAddress } from './check-proxy-address.ts'
import { checkSettings } from './check-settings.ts'
import { unavailableFormats } from './unavailable-names.ts'

/** Headers that describe the connection or the body. The operator cannot set these. */
const ownHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'accept',
  'accept-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'keep-alive',
])

/** Headers that may carry a credential instead of `api_key`. */
const credentialHeaders = new Set(['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'])

const REPEATED_KEY = withFact('is the same key as one before it; leave it out', {
  code: 'repeated',
  values: {},
})
const REPEATED_MODEL = withFact('is named twice; leave one out', { code: 'repeated', values: {} })
const OWN_HEADER = withFact('is set by Headgate itself; leave it out', { code: 'set_by_gateway', values: {} })

/** The problems of one channel beyond its shape. Paths are within the channel. */
export function checkChannel(input: ChannelInput, registry: ProviderRegistry): readonly PathProblem[] {
  const provider = registry.find(input.provider)
  if (provider === undefined) return [{ path: ['provider'], ...describeProvider(input.provider, registry) }]
  return [
    ...checkAddress(input, provider),
    ...checkProxy(input, provider),
    ...checkFormat(input, provider),
    ...checkKeys(input, provider),
    ...checkSettings(input, provider),
    ...checkModels(input, provider),
    ...checkHeaders(input),
    ...checkAllowFields(input, provider),
  ]
}

function describeProvider(id: string, { ids }: ProviderRegistry): Pick<PathProblem, 'message' | 'fact'> {
  const nearest = nearestName(id, ids)
  const advice = nearest === undefined ? `known: ${ids.join(', ')}` : `did you mean "${nearest}"?`
  const message = `"${id}" is not a known provider; ${advice}`
  return { message, fact: unknownName('provider', id, nearest) }
}

function checkAddress(input: ChannelInput, provider: Provider): readonly PathProblem[] {
  if (input.base_url === undefined) {
    const hasOwn = provider.baseUrl !== undefined || provider.baseUrlOf !== undefined
    if (hasOwn || provider.isBuiltIn) return []
    const message = `is missing; the provider ${provider.id} has no address of its own`
    return [{ path: ['base_url'], message, fact: neededBy(provider) }]
  }
  if (provider.isBuiltIn) {
    return [{ path: ['base_url'], ...describeBuiltIn(provider) }]
  }
  const message = checkBaseUrl(input.base_url, input.allow_private ?? false)
  return message === undefined ? [] : [{ path: ['base_url'], message }]
}

function describeBuiltIn({ id }: Provider): Pick<PathProblem, 'message' | 'fact'> {
  const fact = { code: 'not_of_provider', values: { provider: id } } as const
  return { message: `leave it out; ${id} is served by Headgate itself`, fact }
}

function neededBy({ id }: Provider): InputFact {
  return { code: 'needed_by_provider', values: { provider: id } }
}

function checkProxy({ proxy, ca_file }: ChannelInput, provider: Provider): readonly PathProblem[] {
  if (provider.isBuiltIn) {
    const given = Object.entries({ proxy, ca_file }).filter(([, value]) => value !== undefined)
    return given.map(([name]) => ({ path: [name], ...describeBuiltIn(provider) }))
  }
  const message = proxy === undefined ? undefined : checkProxyAddress(proxy)
  return message === undefined ? [] : [{ path: ['proxy'], message }]
}

function checkFormat({ format }: ChannelInput, { id, formats }: Provider): readonly PathProblem[] {
  if (format === undefined || formats.some((known) => known === format)) return []
  const fact = { code: 'unknown_value', values: { values: formats } } as const
  return [{ path: ['format'], message: describeFormat(format, id, formats), fact }]
}

function describeFormat(format: string, providerId: string, spoken: readonly string[]): string {
  const known: readonly string[] = channelFormatIds
  const advice = `the provider ${providerId} speaks ${spoken.join(' and ')}`
  if (unavailableFormats.includes(format))
    return `the format "${format}" is not available in this version; ${advice}`
  return known.includes(format)
    ? `cannot be "${format}"; ${advice}`
    : `"${format}" is not a known format; ${advice}`
}

function checkKeys(input: ChannelInput, provider: Provider): readonly PathProblem[] {
  const fact = { code: 'excluded_by_field', values: { field: 'api_key' } } as const
  const hasOther = input.api_key !== undefined || input.api_keys !== undefined
  if (hasOther && input.credentials?.['api_key'] !== undefined)
    return [
      { path: ['credentials', 'api_key'], message: 'stands beside api_key; leave one of them out', fact },
    ]
  if (input.api_key !== undefined && input.api_keys !== undefined) {
    return [{ path: ['api_keys'], message: 'stands beside api_key; put every key into api_keys', fact }]
  }
  const repeated = input.api_keys?.findIndex((key, index, keys) => keys.indexOf(key) !== index) ?? -1
  if (repeated !== -1) return [{ path: ['api_keys', repeated], message: REPEATED_KEY }]
  const hasKey = input.api_key !== undefined || input.api_keys !== undefined
  const hasHeader = Object.keys(input.headers ?? {}).some((name) => credentialHeaders.has(name.toLowerCase()))
  if (hasKey || hasHeader || !provider.needsKey) return []
  return [
    {
      path: ['api_key'],
      message: `is missing; the provider ${provider.id} needs one, such as "\${${keyVariable(provider)}}"`,
      fact: neededBy(provider),
      dependsOn: [['api_keys'], ['headers'], ['credentials']],
    },
  ]
}

function keyVariable({ id, environmentKey }: Provider): string {
  return environmentKey ?? `${id.toUpperCase().replaceAll('-', '_')}_API_KEY`
}

const WRITTEN_WITHOUT_LIST = withFact('is written models: "*" for all that the upstream lists', {
  code: 'no_alternative',
  values: { values: ['*'] },
})

function checkModels({ models }: ChannelInput, provider: Provider): readonly PathProblem[] {
  if (Array.isArray(models)) {
    const repeated = models.findIndex((name, index) => models.indexOf(name) !== index)
    if (repeated !== -1) return [{ path: ['models', repeated], message: REPEATED_MODEL }]
    if (models.includes('*')) return [{ path: ['models'], message: WRITTEN_WITHOUT_LIST }]
  }
  const wantsList = models === '*' || (models === undefined && provider.models === undefined)
  if (!wantsList || listsModels(provider)) return []
  const message = `must name the models; the provider ${provider.id} has no list of them`
  return [{ path: ['models'], message, fact: neededBy(provider) }]
}

function checkHeaders({ headers = {} }: ChannelInput): readonly PathProblem[] {
  return Object.keys(headers)
    .filter((name) => ownHeaders.has(name.toLowerCase()) || /^proxy-/i.test(name))
    .map((name) => ({ path: ['headers', name], message: OWN_HEADER }))
}

/** The fields with which callers name objects that a provider stores. */
const storedObjectFields: ReadonlySet<string> = new Set([
  'conversation',
  'previous_response_id',
  'file_id',
  'file_uri',
  'cached_content',
])

function checkAllowFields({ allow_fields = [] }: ChannelInput, provider: Provider): readonly PathProblem[] {
  const steering = provider.steeringFields
  return allow_fields.flatMap((name, index) => {
    if (steering.includes(foldMemberName(name)) || storedObjectFields.has(name)) return []
    const advice = steering.length === 0 ? 'leave it out' : `those are ${steering.join(', ')}`
    const message = `"${name}" is not one of the fields that ${provider.id} channels refuse; ${advice}`
    return [
      {
        path: ['allow_fields', index],
        message,
        fact: { code: 'not_of_provider', values: { provider: provider.id } },
      },
    ]
  })
}
