import type { ExchangeRoute } from '../route.ts'

/**
 * Creates Azure's paths with a deployment, which is the public name of a model here
 * (https://learn.microsoft.com/azure/ai-foundry/openai/reference, seen 2026-11-24). The `api-version` in the query is
 * accepted and ignored. Azure's paths without a deployment are aliases of `/v1`: see `readTarget`.
 */
export function createDeploymentRoutes(routes: readonly ExchangeRoute[]): readonly ExchangeRoute[] {
  return routes.filter(isDeployed).map((route) => ({
    ...route,
    path: `/openai/deployments/:deployment${route.path.slice('/v1'.length)}`,
    readTerms: ({ params }) => ({ format: route.format, model: params['deployment'] }),
  }))
}

/** Operations of Anthropic and Gemini have no deployments, nor do operations in other versions than `/v1`. */
function isDeployed({ path, format }: ExchangeRoute): boolean {
  return path.startsWith('/v1/') && format !== 'messages' && format !== 'count-tokens'
}
