import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { meQuery } from '../api/session.ts'
import { findReauthentication, methodsQuery } from '../api/single-sign-on.ts'
import { t } from '../language/language.ts'
import { nowMs } from '../time/clock.ts'
import { buttonClass } from '../ui/button.tsx'
import { ErrorState, Skeleton } from '../ui/states.tsx'

const POLL_MS = 2_000

/** Lets the user sign in again at the identity provider, in another tab. `onDone` is called afterwards. */
export function ProviderAgain({ onDone }: { readonly onDone: () => void }) {
  const client = useQueryClient()
  const { data: methods } = useQuery(methodsQuery)
  const page = useQuery({
    queryKey: ['reauthentication'],
    queryFn: findReauthentication,
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const me = useQuery({
    ...meQuery,
    staleTime: 0,
    refetchInterval: POLL_MS,
    refetchIntervalInBackground: true,
  })
  const freshUntil = me.data?.fresh_until ?? null
  useEffect(() => {
    if (freshUntil === null || Date.parse(freshUntil) <= nowMs()) return
    client.setQueryData(meQuery.queryKey, me.data)
    onDone()
  }, [freshUntil, client, me.data, onDone])
  if (page.isPending) return <Skeleton rows={2} />
  if (page.isError) return <ErrorState error={page.error} onRetry={() => void page.refetch()} />
  return (
    <div className="mb-5 space-y-2">
      <a
        href={page.data}
        target="_blank"
        rel="noopener noreferrer"
        className={`${buttonClass('primary')} w-full`}
      >
        {t('sso.again.open', { label: methods?.oidc?.label ?? '' })}
      </a>
      <p className="text-[0.8125rem] text-muted">{t('sso.again.why')}</p>
    </div>
  )
}
