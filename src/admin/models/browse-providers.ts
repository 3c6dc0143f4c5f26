import { z } from 'zod'
import { writeConfigJsonSchema } from '../../config/check/known-names.ts'
import { isSecretName } from '../../config/secrets/is-secret-name.ts'
import { lazy } from '../../kit/async/lazy.ts'
import { listsModels, type Provider, type ProviderRegistry } from '../../providers/provider.ts'
import type { AdminRoute } from '../admin-route.ts'
import { type ProviderView, providerListSchema } from './provider-contract.ts'

/** The routes for forms that add a channel: the providers with their fields, and the schema of the configuration. */
export function createProviderRoutes(registry: ProviderRegistry): readonly AdminRoute[] {
  const list = lazy(() => registry.ids.flatMap((id) => registry.find(id) ?? []).map(viewProvider))
  const schema = lazy(() => z.record(z.string(), z.json()).parse(writeConfigJsonSchema()))
  return [
    {
      method: 'GET',
      policy: { access: 'read', scope: 'channels:read' },
      path: '/admin/v1/providers',
      summary: 'List the providers, each with what a channel of it needs',
      answer: { status: 200, schema: providerListSchema },
      errors: [],
      handler: async () => ({ status: 200, body: { data: list() } }),
    },
    {
      method: 'GET',
      policy: { access: 'read', scope: 'config:read' },
      path: '/admin/v1/config/schema',
      summary: 'Show the JSON Schema of the configuration, by which every field is explained and checked',
      answer: { status: 200, schema: z.record(z.string(), z.json()) },
      errors: [],
      handler: async () => ({ status: 200, body: schema() }),
    },
  ]
}

function viewProvider(provider: Provider): ProviderView {
  const { id, formats, baseUrl, environmentKey, settings = [], models, probe, endpoints } = provider
  return {
    id,
    formats: [...formats],
    base_url: baseUrl ?? null,
    base_url_by: addressSourceOf(provider),
    key: keyOf(provider),
    key_variable: environmentKey ?? null,
    settings: settings.map((setting) => ({
      name: setting.name,
      form: setting.form,
      pattern: setting.pattern.source,
      required: setting.isRequired === true,
      secret: isSecretName(setting.name),
      file: setting.isFile === true,
      needs: setting.needs ?? null,
    })),
    models: models === undefined ? null : [...models],
    lists_models: listsModels(provider),
    is_local: probe !== undefined,
    embeddings: endpoints?.embeddings !== undefined,
  }
}

function addressSourceOf({ isBuiltIn, baseUrlOf, baseUrl }: Provider): ProviderView['base_url_by'] {
  if (isBuiltIn === true) return 'gateway'
  if (baseUrlOf !== undefined) return 'settings'
  return baseUrl === undefined ? 'channel' : 'default'
}

function keyOf({ isBuiltIn, needsKey, createAuthorizer }: Provider): ProviderView['key'] {
  if (isBuiltIn === true) return 'none'
  return needsKey && createAuthorizer === undefined ? 'required' : 'optional'
}
