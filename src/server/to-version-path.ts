/**
 * An SDK whose base already ends in /v1 asks for /v1/v1/…, and one for Azure for /openai/v1/… or, with a version in the
 * query, /openai/…; all lead to the same route. A path with a deployment has a route of its own.
 */
export function toVersionPath(target: string): string {
  if (target.startsWith('/v1/v1/')) return target.slice('/v1'.length)
  if (!target.startsWith('/openai/') || target.startsWith('/openai/deployments/')) return target
  return target.startsWith('/openai/v1/')
    ? target.slice('/openai'.length)
    : `/v1${target.slice('/openai'.length)}`
}
