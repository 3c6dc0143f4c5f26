import type { z } from 'zod'
import { GatewayError } from '../../canonical/failure.ts'
import type { OwnedBy } from '../../canonical/owned-by.ts'
import type { CaptureStore } from '../../capture/capture-store.ts'
import type { RequestLogStore, RequestQuery, StoredSummary } from '../../request-log/request-log-store.ts'
import type { AdminRoute } from '../admin-route.ts'
import { readInput } from '../read-input.ts'
import { readOwnedBy } from '../read-reach.ts'
import { pageCaptured } from './page-captured.ts'
import {
  listRequestsSchema,
  type RequestLogOperations,
  requestDetailSchema,
  requestListSchema,
} from './request-contract.ts'
import { viewOwnRequest, viewRequest, viewSummary } from './request-view.ts'

const DEFAULT_LIMIT = 50

/** The operations that read the stored log. */
export function createRequestLogOperations(
  log: Pick<RequestLogStore, 'page' | 'find'>,
  captures: Pick<CaptureStore, 'findCaptured' | 'page'>,
): RequestLogOperations {
  return {
    async list(input, ownedBy) {
      const params = readInput(listRequestsSchema, input)
      const query = { ...readQuery(params), ownedBy }
      const { rows, hasMore } = await (params.captured === undefined
        ? log.page(query)
        : pageCaptured({ log, captures }, query))
      const captured = await captures.findCaptured(rows.map(({ requestId }) => requestId))
      return {
        data: rows.map((row) => viewSummary(row, captured)),
        has_more: hasMore,
        next: hasMore ? (rows.at(-1)?.id ?? null) : null,
      }
    },
    async get(requestId, ownedBy) {
      const request = await log.find(requestId)
      if (request === undefined) throw new GatewayError('request_not_found')
      const isOwn = ownedBy !== undefined
      if (isOwn && !isOwnedBy(request, ownedBy)) throw new GatewayError('request_not_found')
      const captured = await captures.findCaptured([requestId])
      return isOwn ? viewOwnRequest(request, captured) : viewRequest(request, captured)
    },
  }
}

function isOwnedBy({ user, group }: StoredSummary, owned: OwnedBy): boolean {
  return user === owned.user || (group !== undefined && owned.groups.includes(group))
}

function readQuery(input: z.output<typeof listRequestsSchema>): RequestQuery {
  return {
    key: input.key,
    user: input.user,
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
      policy: { access: 'own', scope: 'requests:read' },
      summary: 'List ended requests that match every given filter, newest first',
      query: listRequestsSchema,
      answer: { status: 200, schema: requestListSchema },
      errors: ['invalid_field'],
      async handler(request) {
        return { status: 200, body: { ...(await requests.list(request.query, readOwnedBy(request))) } }
      },
    },
    {
      method: 'GET',
      path: '/admin/v1/requests/{request_id}',
      policy: { access: 'own', scope: 'requests:read' },
      summary: 'Show one request in full: the plan, the attempts and the outcome',
      pathParameters: { request_id: "As in the answer's header x-request-id." },
      answer: { status: 200, schema: requestDetailSchema },
      errors: ['request_not_found'],
      async handler(request) {
        const id = request.params['request_id'] ?? ''
        return { status: 200, body: await requests.get(id, readOwnedBy(request)) }
      },
    },
  ]
}
