import { GatewayError } from '../canonical/failure.ts'
import type { ListenerParts } from './listener-parts.ts'
import type { RequestContext } from './request-context.ts'
import type { Route } from './route.ts'

/** Decides before the body is read whether a request may come in. Throws `GatewayError` where it may not. */
export function admitRequest(context: RequestContext, route: Route, parts: ListenerParts): void {
  const { headers } = context.message
  if (route.policy === 'anyone') return
  if (parts.gate.isDraining) {
    throw new GatewayError('shutting_down', { headers: { connection: 'close' } })
  }
  if (route.policy === 'admin') {
    parts.checkAdmin(headers.authorization)
  } else {
    context.caller = parts.frontDoor.authenticate({
      headers,
      queryKey: route.takesQueryKey === true ? queryKeyOf(context.query) : undefined,
      address: context.address,
    })
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw new GatewayError('unsupported_media_type')
}

function queryKeyOf(query: string): string | undefined {
  return query === '' ? undefined : (new URLSearchParams(query).get('key') ?? undefined)
}
