import type { AdminRoute } from '../admin-route.ts'
import { type AuditOperations, auditListSchema, listAuditSchema } from './audit-contract.ts'

/** What operators did, for reading. */
export function createAuditRoutes(audit: AuditOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/audit',
      policy: 'admin',
      summary: 'List changes of keys and configuration, newest first: who, what, when, from where',
      query: listAuditSchema,
      answer: { status: 200, schema: auditListSchema },
      errors: ['invalid_field'],
      handler: async ({ query }) => ({ status: 200, body: { ...(await audit.list(query)) } }),
    },
  ]
}
