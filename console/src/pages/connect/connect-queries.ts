import { queryOptions, useQuery } from '@tanstack/react-query'
import { keyListSchema } from '../../../../src/admin/keys/key-contract.ts'
import { requestListSchema } from '../../../../src/admin/requests/request-contract.ts'
import { settingsViewSchema } from '../../../../src/admin/settings/settings-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { gatewayAddress } from '../../lib/addresses.ts'
import { useMe, usePermissions } from '../../shell/use-me.ts'

const MAX_KEYS = 200
const LISTEN_MS = 2_000

/** The keys that somebody may choose: for a user one's own first of all. */
export function useOwnKeys() {
  const { name, type } = useMe()
  return useQuery({
    queryKey: ['keys', 'connect', name],
    async queryFn({ signal }) {
      const query = { status: 'active', limit: MAX_KEYS }
      const { data } = await callApi({ path: '/keys', query, answer: keyListSchema, signal })
      const own = data.filter(({ user }) => type === 'user' && user === name)
      return [...own, ...data.filter((key) => !own.includes(key))]
    },
  })
}

/** The newest request of a key, looked for again and again while the page is in view. */
export const lastRequestQuery = (key: string) =>
  queryOptions({
    queryKey: ['requests', 'last', key],
    async queryFn({ signal }) {
      const { data } = await callApi({
        ...{ path: '/requests', query: { key, limit: 1 }, signal },
        answer: requestListSchema,
      })
      return data[0] ?? null
    },
    refetchInterval: LISTEN_MS,
  })

/** The address at which callers reach the gateway, as far as it is known to whoever is signed in. */
export function useCallerAddress(): string {
  const { seesAll } = usePermissions()
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => callApi({ path: '/settings', answer: settingsViewSchema, signal }),
    enabled: seesAll,
    staleTime: 60_000,
  })
  if (settings.data === undefined) return gatewayAddress
  const { public_url: publicUrl, sections } = settings.data
  const settingOf = (section: string) => sections.find(({ name }) => name === section)?.value
  return (publicUrl ?? readListen(settingOf)).replace(/\/$/, '')
}

/**
 * This page came from the listener of callers where operators share it. A listener on every interface is reached by
 * the name that this page was opened with.
 */
function readListen(settingOf: (section: string) => unknown): string {
  const [listen, tls, admin] = [settingOf('listen'), settingOf('tls'), settingOf('admin')]
  if (typeof admin === 'object' && admin !== null && 'listen' in admin && admin.listen === listen)
    return gatewayAddress
  const [, host = '', port] = (typeof listen === 'string' && /^(.*):(\d+)$/.exec(listen)) || []
  // The port that the system chose is not written there.
  if (port === undefined || port === '0') return gatewayAddress
  const isEverywhere = host === '' || host === '0.0.0.0' || host === '[::]'
  const name = isEverywhere ? new URL(gatewayAddress).hostname : host
  return `${tls === true ? 'https' : 'http'}://${name}:${port}`
}
