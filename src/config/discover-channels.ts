import { listsModels, type Provider, type ProviderRegistry } from '../providers/provider.ts'
import { serverAddress } from './server-address.ts'
import type { Variables } from './substitute-variables.ts'

/** Whether a GET of the address answers 200 with JSON within the time. Never rejects. */
export type Probe = (url: string, timeoutMs: number) => Promise<boolean>

const PROBE_TIMEOUT_MS = 500

/** An entry of `channels` as it would be written. */
type WrittenChannel = Readonly<Record<string, string | boolean | Readonly<Record<string, string>>>>

/**
 * Finds what can be served without a configuration: providers whose key is in the environment, servers on this
 * machine, and with none of these the built-in one, so that a first answer is always there.
 */
export async function discoverChannels(
  variables: Variables,
  registry: ProviderRegistry,
  probe: Probe,
): Promise<readonly WrittenChannel[]> {
  const providers = registry.ids.map((id) => registry.find(id)).filter((provider) => provider !== undefined)
  const withKey = providers.flatMap((provider): WrittenChannel[] => {
    const { id, environmentKey, otherEnvironmentKey, isKeyShared } = provider
    const names = isKeyShared ? [] : [environmentKey, otherEnvironmentKey]
    const keys = names.map((name) => (name === undefined ? '' : (variables[name]?.trim() ?? '')))
    const key = keys.find((each) => each !== '') ?? ''
    const credentials = findSettings(provider, variables)
    if (key === '' || credentials === undefined) return []
    return [{ name: id, provider: id, api_key: key, ...credentials, ...allModels(provider) }]
  })
  const local = await Promise.all(
    providers.map(async ({ id, probe: local }): Promise<WrittenChannel[]> => {
      if (local === undefined) return []
      const written = local.hostVariable === undefined ? undefined : variables[local.hostVariable]
      const address = serverAddress(written, local.defaultPort)
      if (address === undefined || !(await probe(address + local.path, PROBE_TIMEOUT_MS))) return []
      return [
        { name: id, provider: id, base_url: address + local.basePath, allow_private: true, models: '*' },
      ]
    }),
  )
  const found = [...withKey, ...local.flat()]
  if (found.length > 0) return found
  return providers.filter(({ builtIn }) => builtIn).map(({ id }) => ({ name: id, provider: id }))
}

/** What else the environment says for the provider; undefined where something that it needs is not said. */
function findSettings({ settings = [] }: Provider, variables: Variables): WrittenChannel | undefined {
  const found: Record<string, string> = {}
  for (const { name, isRequired, variables: names = [] } of settings) {
    const value = names.map((each) => variables[each]?.trim() ?? '').find((each) => each !== '')
    if (value !== undefined) found[name] = value
    else if (isRequired) return undefined
  }
  return Object.keys(found).length === 0 ? {} : { credentials: found }
}

/** All that the provider lists; where it lists none, the models that it declares. */
function allModels(provider: Provider): WrittenChannel {
  return listsModels(provider) ? { models: '*' } : {}
}
