import { writeTime } from '../../kit/time/write-time.ts'
import type { AdminRoute } from '../admin-route.ts'
import { readInput } from '../read-input.ts'
import { type AuditOperations, auditListSchema, listAuditSchema } from './audit-contract.ts'
import { readFact } from './audit-fact.ts'
import type { AuditStore } from './audit-store.ts'
import { viewActor } from './view-actor.ts'

const DEFAULT_LIMIT = 50

export function createAuditOperations(store: Pick<AuditStore, 'list'>): AuditOperations {
  return {
    async list(input) {
      const { limit = DEFAULT_LIMIT, ...params } = readInput(listAuditSchema, input)
      const before = params.before === undefined ? undefined : Number(params.before)
      const found = await store.list({ before, limit, author: params.author, action: params.action })
      const last = found.at(-1)?.number ?? 1
      return {
        data: found.map(({ atMs, details, ...entry }) => ({
          ...entry,
          at: writeTime(atMs),
          actor: viewActor(entry),
          details: [...details],
          facts: details.map(readFact),
        })),
        next_before: found.length === limit && last > 1 ? last : null,
      }
    },
  }
}

/** The routes that read what operators did. */
export function createAuditRoutes(audit: AuditOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/audit',
      policy: { access: 'read', scope: 'audit:read' },
      summary: 'List changes of keys and configuration, newest first: who, what, when, from where',
      query: listAuditSchema,
      answer: { status: 200, schema: auditListSchema },
      errors: ['invalid_field'],
      handler: async ({ query }) => ({ status: 200, body: { ...(await audit.list(query)) } }),
    },
  ]
}
