import { isAdminPolicy } from '../../admin/people/is-admin-policy.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import type { ServerRoute } from '../route.ts'

/** A row as the table has it; its type promises more. */
interface DeclaredRoute extends Pick<ServerRoute, 'method' | 'path'> {
  readonly policy?: unknown
}

const ADMIN_PATHS = '/admin/'
/** The path below them that is asked before the admin token is shown. */
const OPEN_PATH = '/admin/v1/proof'

/**
 * Fails with `route_table_invalid` unless every route says who may call it, and says it once: of two rows for one
 * method and path the second would silently replace the policy of the first.
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
