import type { ExchangeRoute } from '../route.ts'

/**
 * Azure's paths with a deployment, for us a model's public name
 * (https://learn.microsoft.com/azure/ai-foundry/openai/reference, seen 2026-11-24). `api-version` in the query is
 * accepted and has no meaning. Azure's paths without a deployment are aliases of `/v1`: see `readTarget`.
 */
export function createDeploymentRoutes(routes: readonly ExchangeRoute[]): readonly ExchangeRoute[] {
  return routes.filter(isDeployed).map((route) => ({
    ...route,
    path: `/openai/deployments/:deployment${route.path.slice('/v1'.length)}`,
    readTerms: ({ params }) => ({ format: route.format, model: params['deployment'] }),
  }))
}

/** Anthropic's and Gemini's operations have no deployments, nor do the versions of others. */
function isDeployed({ path, format }: ExchangeRoute): boolean {
  return path.startsWith('/v1/') && format !== 'messages' && format !== 'count-tokens'
}
