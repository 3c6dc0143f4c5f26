import { queryOptions, useQuery } from '@tanstack/react-query'
import { keyListSchema } from '../../../../src/admin/keys/key-contract.ts'
import { requestListSchema } from '../../../../src/admin/requests/request-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { useMe } from '../../shell/use-me.ts'

const MAX_KEYS = 200
const LISTEN_MS = 2_000

/** The keys that the user may choose. The user's own keys come first. */
export function useOwnKeys() {
  const { name, type } = useMe()
  return useQuery({
    queryKey: ['keys', 'connect', name],
    async queryFn({ signal }) {
      const query = { status: 'active', limit: MAX_KEYS }
      const { data } = await callApi({ path: '/keys', query, answer: keyListSchema, signal })
      const ownKeys = data.filter(({ user }) => type === 'user' && user === name)
      return [...ownKeys, ...data.filter((key) => !ownKeys.includes(key))]
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
