import { isAdminPolicy } from '../../admin/people/is-admin-policy.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import type { ServerRoute } from '../route.ts'

/** A route as declared. The type of a route would promise a policy, which is checked here. */
interface DeclaredRoute extends Pick<ServerRoute, 'method' | 'path'> {
  readonly policy?: unknown
}

const ADMIN_PATHS = '/admin/'
/** The path below the operators' paths that is requested before the admin token is sent. */
const OPEN_PATH = '/admin/v1/proof'

/**
 * Throws `route_table_invalid` unless every route has a policy, and only one. Of two routes for one method and path,
 * the second would silently replace the policy of the first.
 */
export function requirePolicies(routes: readonly DeclaredRoute[]): void {
  const seen = new Set<string>()
  for (const { method, path, policy } of routes) {
    const name = `${method} ${path}`
    if (!isPolicyOf(path, policy))
      throw new OperatorError('route_table_invalid', `the route ${name} does not say who may call it`)
    if (seen.has(name)) throw new OperatorError('route_table_invalid', `the route ${name} is there twice`)
    seen.add(name)
  }
}

function isPolicyOf(path: string, policy: unknown): boolean {
  if (path.startsWith(ADMIN_PATHS) && path !== OPEN_PATH) return isAdminPolicy(policy)
  return policy === 'anyone' || policy === 'caller' || policy === 'metrics' || isAdminPolicy(policy)
}
