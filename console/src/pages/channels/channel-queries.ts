import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import {
  type ChannelView,
  channelListSchema,
  channelViewSchema,
} from '../../../../src/admin/config/config-contract.ts'
import { type ProviderView, providerListSchema } from '../../../../src/admin/models/provider-contract.ts'
import { callApi } from '../../api/call-api.ts'
import type { PageOf } from '../../api/use-pages.ts'
import type { ChannelSearch } from './channel-search.ts'

const PAGE_ROWS = 100
const none: readonly ProviderView[] = []

export async function fetchChannels(
  { q, provider, status, owner, sort }: ChannelSearch,
  after: string | number | undefined,
  signal: AbortSignal,
): Promise<PageOf<ChannelView>> {
  const query = { q, provider, status, owner, sort, after, limit: PAGE_ROWS }
  const { data, next_after: next } = await callApi({
    path: '/channels',
    query,
    signal,
    answer: channelListSchema,
  })
  return { rows: data, next }
}

const MAX_NAMES = 1_000

/** An unused name for a channel: the wanted one, or else the first unused of `wanted-2`, `wanted-3` and so on. */
export async function findFreeChannelName(wanted: string, client: QueryClient): Promise<string> {
  const { data } = await client.fetchQuery({
    queryKey: ['channels', 'names', wanted],
    queryFn: ({ signal }) =>
      callApi({
        path: '/channels',
        query: { q: wanted, limit: MAX_NAMES },
        answer: channelListSchema,
        signal,
      }),
  })
  const used = data.map(({ name }) => name)
  let name = wanted
  for (let count = 2; used.includes(name); count += 1) name = `${wanted}-${count}`
  return name
}

export const channelPath = (name: string) => `/channels/${encodeURIComponent(name)}`

export const channelQuery = (name: string) =>
  queryOptions({
    queryKey: ['channels', 'one', name],
    queryFn: ({ signal }) => callApi({ path: channelPath(name), answer: channelViewSchema, signal }),
  })

/** The providers of channels, by name. The list changes only with the version of the gateway. */
export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => callApi({ path: '/providers', answer: providerListSchema, signal }),
  select: ({ data }) => data.toSorted((one, other) => one.id.localeCompare(other.id)),
  staleTime: Number.POSITIVE_INFINITY,
})

/** The providers, for a choice or a fact that the page can do without. */
export function useProviders(): readonly ProviderView[] {
  return useQuery(providersQuery).data ?? none
}
