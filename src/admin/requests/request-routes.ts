import type { AdminRoute } from '../admin-route.ts'
import {
  listRequestsSchema,
  type RequestLogOperations,
  requestDetailSchema,
  requestListSchema,
} from './request-contract.ts'

/** The stored request log, for reading. */
export function createRequestRoutes(requests: RequestLogOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/requests',
      policy: 'admin',
      summary: 'List ended requests that match every given filter, newest first',
      query: listRequestsSchema,
      answer: { status: 200, schema: requestListSchema },
      errors: ['invalid_field'],
      handler: async ({ query }) => ({ status: 200, body: { ...(await requests.list(query)) } }),
    },
    {
      method: 'GET',
      path: '/admin/v1/requests/{request_id}',
      policy: 'admin',
      summary: 'Show one request in full: the plan, the attempts and the outcome',
      pathParameters: { request_id: "As in the answer's header x-request-id." },
      answer: { status: 200, schema: requestDetailSchema },
      errors: ['request_not_found'],
      handler: async ({ params }) => ({ status: 200, body: await requests.get(params['request_id'] ?? '') }),
    },
  ]
}
