import { queryOptions, useQuery } from '@tanstack/react-query'
import { servedModelListSchema } from '../../../src/admin/models/catalog-contract.ts'
import { readNames } from '../api/read-rows.ts'
import { MINUTE_MS } from '../time/time-units.ts'

const none: readonly string[] = []

/** The public names of the models that the user may use, or that a key may. */
export const publicModelsQuery = (key?: string) =>
  queryOptions({
    queryKey: ['catalog', 'names', key],
    queryFn: ({ signal }) =>
      readNames({ path: '/catalog', query: { key }, answer: servedModelListSchema, signal }),
    staleTime: MINUTE_MS,
  })

/** The same names as suggestions. There are none until they are read. */
export function usePublicModels(): readonly string[] {
  return useQuery(publicModelsQuery()).data?.rows ?? none
}
