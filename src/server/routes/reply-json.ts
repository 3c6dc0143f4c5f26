import type { RouteReply } from '../route.ts'

/** A route's answer in JSON. */
export function replyJson(body: object, status = 200): RouteReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
