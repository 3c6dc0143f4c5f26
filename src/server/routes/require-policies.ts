import { z } from 'zod'
import type { AdminPolicy } from '../../access/people/policy.ts'
import { scopes } from '../../access/people/scope.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import type { ServerRoute } from '../route.ts'

const scope = z.enum(scopes)
const fresh = z.union([z.literal(true), z.array(z.string()).min(1).readonly()]).optional()

const adminPolicySchema = z.discriminatedUnion('access', [
  z.strictObject({ access: z.literal('public'), from: z.literal('anywhere').optional() }),
  z.strictObject({
    access: z.literal('self'),
    tokens: z.literal(true).optional(),
    unfinished: z.literal(true).optional(),
    fresh,
  }),
  z.strictObject({ access: z.literal('own'), scope, fresh }),
  z.strictObject({ access: z.literal('read'), scope }),
  z.strictObject({ access: z.enum(['write', 'owner']), scope, fresh }),
])

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

/** Whether a value is a policy, for routes whose type says more than they hold. */
function isAdminPolicy(value: unknown): value is AdminPolicy {
  return adminPolicySchema.safeParse(value).success
}
