import type { z } from 'zod'
import { GatewayError } from '../../canonical/failure.ts'
import type { RequestLogStore, RequestQuery } from '../../request-log/request-log-store.ts'
import type { AdminRoute } from '../admin-route.ts'
import { readInput } from '../read-input.ts'
import {
  listRequestsSchema,
  type RequestLogOperations,
  requestDetailSchema,
  requestListSchema,
} from './request-contract.ts'
import { viewRequest, viewSummary } from './request-view.ts'

const DEFAULT_LIMIT = 50

/** The operations that read the stored log. */
export function createRequestLogOperations(
  log: Pick<RequestLogStore, 'page' | 'find'>,
): RequestLogOperations {
  return {
    async list(input) {
      const { rows, hasMore } = await log.page(readQuery(readInput(listRequestsSchema, input)))
      return {
        data: rows.map(viewSummary),
        has_more: hasMore,
        next: hasMore ? (rows.at(-1)?.id ?? null) : null,
      }
    },
    async get(requestId) {
      const request = await log.find(requestId)
      if (request === undefined) throw new GatewayError('request_not_found')
      return viewRequest(request)
    },
  }
}

function readQuery(input: z.output<typeof listRequestsSchema>): RequestQuery {
  return {
    key: input.key,
    group: input.group,
    model: input.model,
    channel: input.channel,
    upstreamModel: input.upstream_model,
    status: input.status === undefined ? undefined : readStatus(input.status),
    error: input.error,
    isStream: input.stream === undefined ? undefined : input.stream === 'true',
    minMs: input.min_ms,
    sinceMs: input.since,
    untilMs: input.until,
    before: input.before,
    after: input.after,
    limit: input.limit ?? DEFAULT_LIMIT,
  }
}

function readStatus(text: string): readonly [number, number] {
  return [Number(text.replace('xx', '00')), Number(text.replace('xx', '99'))]
}

/** The stored request log, for reading. */
export function createRequestRoutes(requests: RequestLogOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/requests',
      policy: { access: 'read', scope: 'requests:read' },
      summary: 'List ended requests that match every given filter, newest first',
      query: listRequestsSchema,
      answer: { status: 200, schema: requestListSchema },
      errors: ['invalid_field'],
      handler: async ({ query }) => ({ status: 200, body: { ...(await requests.list(query)) } }),
    },
    {
      method: 'GET',
      path: '/admin/v1/requests/{request_id}',
      policy: { access: 'read', scope: 'requests:read' },
      summary: 'Show one request in full: the plan, the attempts and the outcome',
      pathParameters: { request_id: "As in the answer's header x-request-id." },
      answer: { status: 200, schema: requestDetailSchema },
      errors: ['request_not_found'],
      handler: async ({ params }) => ({ status: 200, body: await requests.get(params['request_id'] ?? '') }),
    },
  ]
}
