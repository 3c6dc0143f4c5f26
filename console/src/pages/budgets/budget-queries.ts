import { queryOptions } from '@tanstack/react-query'
import {
  type BudgetView,
  budgetPageSchema,
  budgetViewSchema,
  forecastViewSchema,
  valueListSchema,
} from '../../../../src/admin/budgets/budget-contract.ts'
import { callApi } from '../../api/call-api.ts'
import type { PageOf } from '../../api/use-pages.ts'
import type { BudgetSearch } from './budget-search.ts'

const REFRESH_MS = 10_000
const FORECAST_MS = 300_000

export const budgetPath = (name: string) => `/budgets/${encodeURIComponent(name)}`

export type BudgetFilters = Pick<BudgetSearch, 'q' | 'scope' | 'sort'>

export async function fetchBudgets(
  filters: BudgetFilters,
  after: string | number | undefined,
  signal: AbortSignal,
): Promise<PageOf<BudgetView>> {
  const query = { ...filters, after, limit: 100 }
  const page = await callApi({ path: '/budgets', query, answer: budgetPageSchema, signal })
  return { rows: page.data, next: page.next_after }
}

export const budgetQuery = (name: string, value: string | undefined) =>
  queryOptions({
    queryKey: ['budgets', 'one', name, value],
    queryFn: ({ signal }) =>
      callApi({ path: budgetPath(name), query: { value }, answer: budgetViewSchema, signal }),
    refetchInterval: REFRESH_MS,
  })

/** The forecast is based on hours that have ended, so it changes slowly. */
export const forecastQuery = (name: string, value: string | undefined) =>
  queryOptions({
    queryKey: ['budgets', 'forecast', name, value],
    queryFn: ({ signal }) =>
      callApi({
        path: `${budgetPath(name)}/forecast`,
        query: { value },
        answer: forecastViewSchema,
        signal,
      }),
    staleTime: FORECAST_MS,
  })

export const valuesQuery = (name: string) =>
  queryOptions({
    queryKey: ['budgets', 'values', name],
    queryFn: ({ signal }) => callApi({ path: `${budgetPath(name)}/values`, answer: valueListSchema, signal }),
    refetchInterval: REFRESH_MS,
  })
