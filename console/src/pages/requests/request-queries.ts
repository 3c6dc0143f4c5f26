import { queryOptions } from '@tanstack/react-query'
import {
  type RequestSummaryView,
  requestDetailSchema,
  requestListSchema,
} from '../../../../src/admin/requests/request-contract.ts'
import { callApi } from '../../api/call-api.ts'
import type { PageOf } from '../../api/use-pages.ts'
import { nowMs } from '../../time/clock.ts'
import { boundsOf } from '../../time/spans.ts'
import { MAX_NEW_ROWS } from './live-rows.ts'
import type { RequestSearch } from './request-search.ts'

const PAGE_ROWS = 100

export type RequestFilters = Omit<RequestSearch, 'live'>

function writeFilters({ since, until, ...filters }: RequestFilters) {
  return { ...filters, ...boundsOf({ since, until }, nowMs()) }
}

export async function fetchRequests(
  filters: RequestFilters,
  before: string | number | undefined,
  signal: AbortSignal,
): Promise<PageOf<RequestSummaryView>> {
  const query = { ...writeFilters(filters), before, limit: PAGE_ROWS }
  const { data, next } = await callApi({ path: '/requests', query, answer: requestListSchema, signal })
  return { rows: data, next }
}

/** The rows that ended after a given row, the newest first. */
export function fetchNewRequests(filters: RequestFilters, after: number, signal: AbortSignal) {
  const query = { ...writeFilters(filters), after, limit: MAX_NEW_ROWS }
  return callApi({ path: '/requests', query, answer: requestListSchema, signal })
}

export const requestQuery = (id: string) =>
  queryOptions({
    queryKey: ['requests', 'one', id],
    queryFn: ({ signal }) =>
      callApi({ path: `/requests/${encodeURIComponent(id)}`, answer: requestDetailSchema, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
