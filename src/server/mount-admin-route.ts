import type { AdminRoute } from '../admin/admin-route.ts'
import { GatewayError } from '../canonical/failure.ts'
import type { BodyBytes } from '../kit/body-bytes.ts'
import { parseJson } from '../kit/parse-json.ts'
import type { Route } from './route.ts'

const methods = { GET: 'GET', POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', DELETE: 'DELETE' } as const

/** Joins an operation of the admin API to a path of the listener. */
export function mountAdminRoute(route: AdminRoute): Route {
  return {
    method: methods[route.method],
    path: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    policy: route.policy,
    async handle({ context, params, body }) {
      const answer = await route.handler({
        params,
        query: Object.fromEntries(new URLSearchParams(context.query)),
        body: body.length === 0 ? undefined : readBody(body),
        ifMatch: context.message.headers['if-match'],
        address: context.address,
      })
      return {
        status: answer.status,
        headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...answer.headers },
        body: JSON.stringify(answer.body),
      }
    },
  }
}

function readBody(body: BodyBytes): unknown {
  try {
    return parseJson(body.text())
  } catch (cause) {
    throw new GatewayError('invalid_json', {}, { cause })
  }
}
