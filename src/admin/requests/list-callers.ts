import type { OwnedBy } from '../../canonical/owned-by.ts'
import { writeTime, writeTimeOrNull } from '../../kit/time/write-time.ts'
import type { RequestLogStore } from '../../request-log/request-log-store.ts'
import type { AdminRoute } from '../admin-route.ts'
import { readInput } from '../read-input.ts'
import { readOwnedBy } from '../read-reach.ts'
import {
  type CallerListView,
  callerListSchema,
  type ListCallers,
  listCallersSchema,
} from './caller-contract.ts'

/** Lists the programs that sent requests recently. If owners are given, only for their keys. */
async function viewCallers(
  log: Pick<RequestLogStore, 'callers'>,
  input: ListCallers,
  ownedBy: OwnedBy | undefined,
): Promise<CallerListView> {
  const { callers, lookedAt, sinceMs } = await log.callers({
    ...readInput(listCallersSchema, input),
    ownedBy,
  })
  return {
    data: callers.map(({ address, client, user, requests, lastAtMs, models }) => ({
      address,
      requests,
      models: [...models],
      client: client ?? null,
      user: user ?? null,
      last_at: writeTime(lastAtMs),
    })),
    looked_at: lookedAt,
    since: writeTimeOrNull(sinceMs),
  }
}

export function createRequestCallerRoutes(log: Pick<RequestLogStore, 'callers'>): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/callers',
      policy: { access: 'own', scope: 'requests:read' },
      summary: 'List the addresses and programs of the last 500 requests that match every given filter',
      query: listCallersSchema,
      answer: { status: 200, schema: callerListSchema },
      errors: ['invalid_field'],
      async handler(request) {
        return { status: 200, body: { ...(await viewCallers(log, request.query, readOwnedBy(request))) } }
      },
    },
  ]
}
