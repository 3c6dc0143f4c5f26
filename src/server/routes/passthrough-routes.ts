import { type PassthroughMethod, passthroughMethods } from '../../canonical/operations/passthrough-method.ts'
import type { ExchangeRoute } from '../route.ts'

const PREFIX = '/passthrough/'

/** The routes to the paths below a channel's base address that its operator allows, one for each method. */
export function createPassthroughRoutes(): readonly ExchangeRoute[] {
  return passthroughMethods.map((method) => ({
    type: 'exchange',
    method,
    path: `${PREFIX}:channel/*`,
    policy: 'caller',
    format: 'chat',
    passesBody: true,
  }))
}

/** Splits a path into the channel and the rest. The rest stays encoded, so that its escapes can be checked. */
export function readPassthroughPath(path: string): {
  readonly channelName: string
  readonly rawPath: string
} {
  const rest = path.slice(PREFIX.length)
  const slash = rest.indexOf('/')
  return { channelName: rest.slice(0, slash), rawPath: rest.slice(slash + 1) }
}

export function readPassthroughMethod(method: string | undefined): PassthroughMethod {
  return passthroughMethods.find((one) => one === method) ?? 'GET'
}
