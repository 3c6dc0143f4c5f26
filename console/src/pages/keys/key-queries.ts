import { queryOptions } from '@tanstack/react-query'
import { keyListSchema, keyViewSchema, type ListedKey } from '../../../../src/admin/keys/key-contract.ts'
import { callApi } from '../../api/call-api.ts'
import type { PageOf } from '../../api/use-pages.ts'
import type { KeySearch } from './key-search.ts'

const PAGE_ROWS = 100

export async function fetchKeys(
  { q, group, user, status, sort }: KeySearch,
  after: string | number | undefined,
  signal: AbortSignal,
): Promise<PageOf<ListedKey>> {
  const query = { q, group, user, status, sort, after, limit: PAGE_ROWS }
  const { data, next_after: next } = await callApi({ path: '/keys', query, answer: keyListSchema, signal })
  return { rows: data, next }
}

export const keyPath = (id: string) => `/keys/${encodeURIComponent(id)}`

export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: ['keys', 'one', id],
    queryFn: ({ signal }) => callApi({ path: keyPath(id), answer: keyViewSchema, signal }),
  })
