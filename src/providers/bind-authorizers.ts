import type { AuthorizerParts } from './authorizer.ts'
import type { Provider, ProviderRegistry } from './provider.ts'

/** The registry with what authorises calls made for each provider that brings it. */
export function bindAuthorizers(registry: ProviderRegistry, parts: AuthorizerParts): ProviderRegistry {
  const bound = new Map<string, Provider>()
  for (const id of registry.ids) {
    const provider = registry.find(id)
    if (provider?.createAuthorizer === undefined) continue
    bound.set(id, { ...provider, authorizer: provider.createAuthorizer(parts) })
  }
  return { ids: registry.ids, find: (id) => bound.get(id) ?? registry.find(id) }
}
