import { queryOptions } from '@tanstack/react-query'
import { budgetPageSchema } from '../../../src/admin/budgets/budget-contract.ts'
import { callApi } from '../api/call-api.ts'

const FRESH_MS = 10_000

/** The budgets of one key, user or group, with the amounts spent. */
export const budgetsOfQuery = (type: 'key' | 'user' | 'group', name: string) =>
  queryOptions({
    queryKey: ['budgets', type, name],
    queryFn: ({ signal }) =>
      callApi({
        path: '/budgets',
        query: { scope: `${type}:${name}` },
        answer: budgetPageSchema,
        signal,
      }),
    select: ({ data }) => data,
    staleTime: FRESH_MS,
  })
