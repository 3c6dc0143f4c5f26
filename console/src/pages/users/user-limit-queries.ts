import { queryOptions } from '@tanstack/react-query'
import { type ObjectView, objectListSchema } from '../../../../src/admin/config/config-contract.ts'
import { callApi } from '../../api/call-api.ts'
import type { PageOf } from '../../api/use-pages.ts'

interface UserLimitFilters {
  readonly q?: string | undefined
  readonly name?: string | undefined
  readonly after?: string | number | undefined
}

export async function fetchUserLimits(
  query: UserLimitFilters,
  signal: AbortSignal,
): Promise<PageOf<ObjectView>> {
  const { data, next_after: next } = await callApi({
    path: '/user-limits',
    query: { ...query },
    answer: objectListSchema,
    signal,
  })
  return { rows: data, next }
}

/** The limits of a user. Null if there are none. */
export const userLimitQuery = (name: string) =>
  queryOptions({
    queryKey: ['user-limits', 'one', name],
    queryFn: async ({ signal }) => (await fetchUserLimits({ name }, signal)).rows[0] ?? null,
  })
