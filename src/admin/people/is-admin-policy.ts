import { z } from 'zod'
import type { AdminPolicy } from '../../access/people/policy.ts'
import { scopes } from '../../access/people/scope.ts'

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

/** Whether a value is a policy, for routes whose type says more than they hold. */
export function isAdminPolicy(value: unknown): value is AdminPolicy {
  return adminPolicySchema.safeParse(value).success
}
