import { GatewayError } from '../../canonical/failure.ts'
import type { Route } from '../../catalog/catalog.ts'
import type { PinnedTarget } from './caller-request.ts'

/**
 * Restricts a route to one target. No other channel and no fallback is called instead. Throws `model_not_found` if the
 * channel does not serve the public name.
 */
export function pinRoute(route: Route, { channel, upstreamModel }: PinnedTarget): Route {
  const targets = route.targets.filter(
    (target) =>
      target.channel.name === channel &&
      (upstreamModel === undefined || target.upstreamModel === upstreamModel),
  )
  if (targets.length === 0) {
    throw new GatewayError('model_not_found', {
      param: 'model',
      message: `The channel ${JSON.stringify(channel)} does not serve the model ${JSON.stringify(route.publicName)}.`,
    })
  }
  return { ...route, targets, fallbacks: [] }
}
