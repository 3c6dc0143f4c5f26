import { queryOptions, useQuery } from '@tanstack/react-query'
import { servedModelListSchema } from '../../../src/admin/models/catalog-contract.ts'
import { callApi } from '../api/call-api.ts'
import { MINUTE_MS } from '../time/time-units.ts'

const none: readonly string[] = []
const MAX_MODELS = 1_000

/** The public names of the models that the user may use, or that a key may. */
export const publicModelsQuery = (key?: string) =>
  queryOptions({
    queryKey: ['catalog', 'names', key],
    queryFn: ({ signal }) =>
      callApi({ path: '/catalog', query: { key, limit: MAX_MODELS }, answer: servedModelListSchema, signal }),
    select: ({ data }) => data.map(({ name }) => name),
    staleTime: MINUTE_MS,
  })

/** The same names as suggestions. There are none until they are read. */
export function usePublicModels(): readonly string[] {
  return useQuery(publicModelsQuery()).data ?? none
}
