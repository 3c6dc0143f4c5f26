import type { ListenAddress } from '../../kit/net/listen-address-schema.ts'
import { listsModels, type Provider, type ProviderRegistry } from '../../providers/provider.ts'
import { checkBaseUrl, leadsTo } from '../check/check-base-url.ts'
import { ConfigError, type ConfigProblem } from '../config-error.ts'
import type { ConfigWarning } from '../config-warning.ts'
import type { Variables } from '../source/substitute-variables.ts'
import { serverAddress } from './server-address.ts'

/** Whether a GET of the address returns 200 with JSON before the timeout. Never rejects. */
export type Probe = (url: string, timeoutMs: number) => Promise<boolean>

const PROBE_TIMEOUT_MS = 500

/** An entry of `channels` as an operator would write it. */
type WrittenChannel = Readonly<Record<string, string | boolean | Readonly<Record<string, string>>>>

export interface Discovery {
  readonly variables: Variables
  readonly registry: ProviderRegistry
  readonly probe: Probe
  /** The address at which callers connect. A base address that points here would be a loop. */
  readonly listen: ListenAddress
}

export interface Discovered {
  readonly channels: readonly WrittenChannel[]
  readonly warnings: readonly ConfigWarning[]
}

/**
 * Finds what can be served without a configuration: providers with a key in the environment, and servers on this
 * machine. Without any of these it uses the built-in provider, so that a first answer is always available.
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
    // The operator sets the address, as in OLLAMA_HOST.
    const own = address && { base_url: address.baseUrl, allow_private: true }
    const secret = findText(variables, key) ?? ''
    return [{ name: id, provider: id, api_key: secret, ...own, ...credentials, ...allModels(provider) }]
  })
  if (problems.length > 0) throw new ConfigError(problems)
  const found = [...withKey, ...(await findLocal(providers, { variables, probe }))]
  const demo = providers.filter(({ isBuiltIn }) => isBuiltIn).map(({ id }) => ({ name: id, provider: id }))
  return { channels: found.length > 0 ? found : demo, warnings }
}

/** Finds servers on this machine that answer. */
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

/** Reads a variable without surrounding white space. An empty variable counts as unset. */
function findText(variables: Variables, name: string | undefined): string | undefined {
  const text = name === undefined ? '' : (variables[name]?.trim() ?? '')
  return text === '' ? undefined : text
}

interface FoundAddress {
  /** The name of the variable that contains the address. */
  readonly name: string
  readonly baseUrl: string
  /** The reason why the value is not a usable address. */
  readonly message?: string
}

/** Finds the address that the provider's own SDK would read from the environment. */
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

/** Finds the provider's other settings in the environment. Undefined where a required setting is missing. */
function findSettings({ settings = [] }: Provider, variables: Variables): WrittenChannel | undefined {
  const found: Record<string, string> = {}
  for (const { name, isRequired, variables: names = [] } of settings) {
    const value = names.map((each) => findText(variables, each)).find((each) => each !== undefined)
    if (value !== undefined) found[name] = value
    else if (isRequired) return undefined
  }
  return Object.keys(found).length === 0 ? {} : { credentials: found }
}

/** All models that the provider lists. Where it has no list, the models that it declares. */
function allModels(provider: Provider): WrittenChannel {
  return listsModels(provider) ? { models: '*' } : {}
}
