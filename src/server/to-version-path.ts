/**
 * Maps aliases to the paths of `/v1`. An SDK whose base URL already ends in /v1 requests /v1/v1/…. An SDK for Azure
 * requests /openai/v1/… or, with a version in the query, /openai/…. A path with a deployment has its own route.
 */
export function toVersionPath(target: string): string {
  if (target.startsWith('/v1/v1/')) return target.slice('/v1'.length)
  if (!target.startsWith('/openai/') || target.startsWith('/openai/deployments/')) return target
  return target.startsWith('/openai/v1/')
    ? target.slice('/openai'.length)
    : `/v1${target.slice('/openai'.length)}`
}
