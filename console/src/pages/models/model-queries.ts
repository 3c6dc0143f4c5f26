import { queryOptions } from '@tanstack/react-query'
import { objectListSchema } from '../../../../src/admin/config/config-contract.ts'
import { type ServedModelView, servedModelListSchema } from '../../../../src/admin/models/catalog-contract.ts'
import { priceListSchema } from '../../../../src/admin/prices/price-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { readRows } from '../../api/read-rows.ts'
import type { PageOf } from '../../api/use-pages.ts'
import { MINUTE_MS } from '../../time/time-units.ts'
import type { ModelSearch } from './model-search.ts'

const PAGE_ROWS = 100
/** The limit on the names among which one is found. */
const MAX_FOUND_NAMES = 1_000
/** The limit on the length of a search text that the gateway accepts. */
const MAX_SEARCH_LETTERS = 64

export async function fetchModels(
  { q, channel, sort }: Pick<ModelSearch, 'q' | 'channel' | 'sort'>,
  after: string | number | undefined,
  signal: AbortSignal,
): Promise<PageOf<ServedModelView>> {
  const query = { q, channel, sort, after, limit: PAGE_ROWS }
  const { data, next_after: next } = await callApi({
    path: '/catalog',
    query,
    signal,
    answer: servedModelListSchema,
  })
  return { rows: data, next }
}

/** All names, to draw the links between them. */
export const graphQuery = ({ q, channel }: Pick<ModelSearch, 'q' | 'channel'>) =>
  queryOptions({
    queryKey: ['catalog', 'graph', q, channel],
    queryFn: ({ signal }) =>
      readRows({ path: '/catalog', query: { q, channel }, answer: servedModelListSchema, signal }),
  })

/** One served name. Null if no channel serves it. */
export const servedQuery = (name: string) =>
  queryOptions({
    queryKey: ['catalog', 'one', name],
    async queryFn({ signal }) {
      const query = { q: name.slice(0, MAX_SEARCH_LETTERS), limit: MAX_FOUND_NAMES }
      const { data } = await callApi({ path: '/catalog', query, answer: servedModelListSchema, signal })
      return data.find((each) => each.name === name) ?? null
    },
  })

export const modelPath = (name: string) => `/models/${encodeURIComponent(name)}`

/** The settings of a name in the configuration. Null if there are none. */
export const modelObjectQuery = (name: string) =>
  queryOptions({
    queryKey: ['models', 'one', name],
    async queryFn({ signal }) {
      const query = { q: name.slice(0, MAX_SEARCH_LETTERS), limit: MAX_FOUND_NAMES }
      const { data } = await callApi({ path: '/models', query, answer: objectListSchema, signal })
      return data.find((each) => each.name === name) ?? null
    },
  })

/** The prices of a name's targets, both in force and not in force. */
export const pricesQuery = (model: string) =>
  queryOptions({
    queryKey: ['prices', model],
    queryFn: ({ signal }) => callApi({ path: '/prices', query: { model }, answer: priceListSchema, signal }),
    select: ({ data }) => data,
    staleTime: MINUTE_MS,
  })
