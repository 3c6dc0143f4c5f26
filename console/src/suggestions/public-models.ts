import { queryOptions, useQuery } from '@tanstack/react-query'
import { servedModelListSchema } from '../../../src/admin/models/catalog-contract.ts'
import { callApi } from '../api/call-api.ts'
import { readRows, WHOLE_PAGE_ROWS } from '../api/read-rows.ts'
import { MINUTE_MS } from '../time/time-units.ts'

const none: readonly string[] = []

/** The public names of the models that the user may use, or that a key may. */
export const publicModelsQuery = (key?: string) =>
  queryOptions({
    queryKey: ['catalog', 'names', key],
    queryFn: ({ signal }) =>
      readRows(async (after) => {
        const query = { key, limit: WHOLE_PAGE_ROWS, after }
        const { data, next_after: next } = await callApi({
          path: '/catalog',
          query,
          answer: servedModelListSchema,
          signal,
        })
        return { rows: data.map(({ name }) => name), next }
      }),
    staleTime: MINUTE_MS,
  })

/** The same names as suggestions. There are none until they are read. */
export function usePublicModels(): readonly string[] {
  return useQuery(publicModelsQuery()).data?.rows ?? none
}
