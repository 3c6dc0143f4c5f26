import { queryOptions, useQuery } from '@tanstack/react-query'
import { keyListSchema } from '../../../../src/admin/keys/key-contract.ts'
import { requestListSchema } from '../../../../src/admin/requests/request-contract.ts'
import { callApi } from '../../api/call-api.ts'
import type { Names } from '../../api/read-rows.ts'
import { useMe } from '../../shell/use-me.ts'

const MAX_KEYS = 200
const LISTEN_MS = 2_000

/** The keys that the user may choose. The user's own keys come first. Of very many, the others are the oldest. */
export function useOwnKeys() {
  const { name, type } = useMe()
  return useQuery({
    queryKey: ['keys', 'connect', name],
    async queryFn({ signal }): Promise<Names> {
      const query = { status: 'active', limit: MAX_KEYS }
      const read = (more: typeof query & { readonly user?: string }) =>
        callApi({ path: '/keys', query: more, answer: keyListSchema, signal })
      const [all, own] = await Promise.all([read(query), type === 'user' && read({ ...query, user: name })])
      const ownKeys = own === false ? [] : own.data
      const names = [...ownKeys, ...all.data].map((key) => key.name)
      return { rows: [...new Set(names)], isComplete: all.next_after === null }
    },
  })
}

/** The newest request of a key, polled while the page is visible. */
export const lastRequestQuery = (key: string) =>
  queryOptions({
    queryKey: ['requests', 'last', key],
    async queryFn({ signal }) {
      const { data } = await callApi({
        path: '/requests',
        query: { key, limit: 1 },
        signal,
        answer: requestListSchema,
      })
      return data[0] ?? null
    },
    refetchInterval: LISTEN_MS,
  })
