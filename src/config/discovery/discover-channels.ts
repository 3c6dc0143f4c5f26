import type { ListenAddress } from '../../kit/net/listen-address-schema.ts'
import { listsModels, type Provider, type ProviderRegistry } from '../../providers/provider.ts'
import { checkBaseUrl, leadsTo } from '../check/check-base-url.ts'
import { ConfigError, type ConfigProblem } from '../config-error.ts'
import type { ConfigWarning } from '../config-warning.ts'
import type { Variables } from '../source/substitute-variables.ts'
import { serverAddress } from './server-address.ts'

/** Whether a GET of the address answers 200 with JSON within the time. Never rejects. */
export type Probe = (url: string, timeoutMs: number) => Promise<boolean>

const PROBE_TIMEOUT_MS = 500

/** An entry of `channels` as it would be written. */
type WrittenChannel = Readonly<Record<string, string | boolean | Readonly<Record<string, string>>>>

export interface Discovery {
  readonly variables: Variables
  readonly registry: ProviderRegistry
  readonly probe: Probe
  /** The address at which callers connect; a base address that leads here would be a loop. */
  readonly listen: ListenAddress
}

export interface Discovered {
  readonly channels: readonly WrittenChannel[]
  readonly warnings: readonly ConfigWarning[]
}

/**
 * Finds what can be served without a configuration: providers whose key is in the environment, servers on this
 * machine, and with none of these the built-in one, so that a first answer is always there.
 */
export async function discoverChannels({
  variables,
  registry,
  probe,
  listen,
}: Discovery): Promise<Discovered> {
  const providers = registry.ids.map((id) => registry.find(id)).filter((provider) => provider !== undefined)
  const warnings: ConfigWarning[] = []
  const problems: ConfigProblem[] = []
  const withKey = providers.flatMap((provider): WrittenChannel[] => {
    const { id, environmentKey, otherEnvironmentKey, isKeyShared } = provider
    const names = isKeyShared ? [] : [environmentKey, otherEnvironmentKey]
    const key = names.find((name) => findText(variables, name) !== undefined)
    const credentials = findSettings(provider, variables)
    if (key === undefined || credentials === undefined) return []
    const address = findBaseUrl(provider, variables)
    if (address?.message !== undefined) {
      problems.push({ path: address.name, message: address.message })
      return []
    }
    if (address !== undefined && leadsTo(new URL(address.baseUrl), listen)) {
      warnings.push({ kind: 'leads_to_itself', values: { address: address.name, key } })
      return []
    }
    // The operator names the address, as in OLLAMA_HOST.
    const own = address && { base_url: address.baseUrl, allow_private: true }
    const secret = findText(variables, key) ?? ''
    return [{ name: id, provider: id, api_key: secret, ...own, ...credentials, ...allModels(provider) }]
  })
  if (problems.length > 0) throw new ConfigError(problems)
  const found = [...withKey, ...(await findLocal(providers, { variables, probe }))]
  const demo = providers.filter(({ isBuiltIn }) => isBuiltIn).map(({ id }) => ({ name: id, provider: id }))
  return { channels: found.length > 0 ? found : demo, warnings }
}

/** Servers on this machine, where they answer. */
async function findLocal(
  providers: readonly Provider[],
  { variables, probe }: Pick<Discovery, 'variables' | 'probe'>,
): Promise<readonly WrittenChannel[]> {
  const found = providers.map(async ({ id, probe: local }): Promise<WrittenChannel[]> => {
    if (local === undefined) return []
    const written = local.hostVariable === undefined ? undefined : variables[local.hostVariable]
    const address = serverAddress(written, local.defaultPort)
    if (address === undefined || !(await probe(address + local.path, PROBE_TIMEOUT_MS))) return []
    return [{ name: id, provider: id, base_url: address + local.basePath, allow_private: true, models: '*' }]
  })
  return (await Promise.all(found)).flat()
}

/** White space around a value is no part of it; a variable that is set to nothing is not set. */
function findText(variables: Variables, name: string | undefined): string | undefined {
  const text = name === undefined ? '' : (variables[name]?.trim() ?? '')
  return text === '' ? undefined : text
}

interface FoundAddress {
  /** The variable that holds it. */
  readonly name: string
  readonly baseUrl: string
  /** The reason why it is no address to send to. */
  readonly message?: string
}

/** The address that the provider's own SDK would take from the environment. */
function findBaseUrl(
  { baseUrlVariables = [], readBaseUrl = (text) => text }: Provider,
  variables: Variables,
): FoundAddress | undefined {
  const name = baseUrlVariables.find((each) => findText(variables, each) !== undefined)
  const text = findText(variables, name)
  if (name === undefined || text === undefined) return undefined
  const message = checkBaseUrl(text, true)
  if (message !== undefined) return { name, baseUrl: text, message }
  return { name, baseUrl: readBaseUrl(text.replace(/\/+$/, '')) }
}

/** The provider's other settings from the environment; undefined where a required one is missing. */
function findSettings({ settings = [] }: Provider, variables: Variables): WrittenChannel | undefined {
  const found: Record<string, string> = {}
  for (const { name, isRequired, variables: names = [] } of settings) {
    const value = names.map((each) => findText(variables, each)).find((each) => each !== undefined)
    if (value !== undefined) found[name] = value
    else if (isRequired) return undefined
  }
  return Object.keys(found).length === 0 ? {} : { credentials: found }
}

/** All that the provider lists; where it lists none, the models that it declares. */
function allModels(provider: Provider): WrittenChannel {
  return listsModels(provider) ? { models: '*' } : {}
}
