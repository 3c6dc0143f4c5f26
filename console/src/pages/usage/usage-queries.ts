import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  type UsageGroupView,
  type UsageReport,
  usageReportSchema,
} from '../../../../src/admin/ledger/usage-contract.ts'
import { type ServedModelView, servedModelListSchema } from '../../../../src/admin/models/catalog-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { readRows } from '../../api/read-rows.ts'
import { nowMs } from '../../time/clock.ts'
import { viewerZone } from '../../time/time-buckets.ts'
import { MINUTE_MS } from '../../time/time-units.ts'
import { dimensionsOf, type UsageSearch } from './usage-search.ts'
import { readUsageSpan } from './usage-span.ts'

const PAGE_ROWS = 1_000
const MAX_ROWS = 5_000

/** A report with all of its rows, up to the limit that a table and a chart can show. */
export interface WholeReport extends UsageReport {
  readonly isCut: boolean
}

export const usageQuery = (search: UsageSearch) =>
  queryOptions({
    queryKey: ['usage', 'report', search],
    queryFn: ({ signal }) => readReport(search, signal),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })

async function readReport(search: UsageSearch, signal: AbortSignal): Promise<WholeReport> {
  const { model, key, user, group, channel, tags } = search
  const query = {
    model,
    key,
    user,
    group,
    channel,
    tags,
    ...readUsageSpan(search, nowMs()),
    by: dimensionsOf(search).join(','),
    time_zone: viewerZone(),
    limit: PAGE_ROWS,
  }
  const first = await callApi({ path: '/usage', query, answer: usageReportSchema, signal })
  const rows: UsageGroupView[] = [...first.data]
  let page = first
  while (page.next !== null && rows.length < MAX_ROWS) {
    // Later pages use the span of the first page. A span that ends now would have moved on.
    const more = { ...query, since: first.since, until: first.until, after: page.next }
    page = await callApi({ path: '/usage', query: more, answer: usageReportSchema, signal })
    rows.push(...page.data)
  }
  return { ...first, data: rows, isCut: page.next !== null }
}

/** The public names whose targets all lack a price. */
export const unpricedQuery = queryOptions({
  queryKey: ['catalog', 'unpriced'],
  queryFn: ({ signal }) => readRows({ path: '/catalog', answer: servedModelListSchema, signal }),
  select: ({ rows }): ReadonlySet<string> => new Set(rows.filter(isUnpriced).map(({ name }) => name)),
  staleTime: MINUTE_MS,
})

function isUnpriced({ targets }: ServedModelView): boolean {
  return targets !== null && targets.length > 0 && targets.every(({ priced }) => !priced)
}
