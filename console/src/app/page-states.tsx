import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { tabStorage } from '../browser/browser-storage.ts'
import { t } from '../language/language.ts'
import { useMe } from '../shell/use-me.ts'
import { buttonClass } from '../ui/button.tsx'
import { usePageTitle } from '../ui/page-header.tsx'
import { EmptyState, ErrorState, Skeleton } from '../ui/states.tsx'
import { showToast } from '../ui/toasts.tsx'
import { isGatewayReachable } from './load-page.ts'

export function PagePending() {
  return <Skeleton rows={6} />
}

export function NotFoundPage() {
  usePageTitle(t('error.no_page'))
  return (
    <EmptyState
      icon="search"
      title={<h1>{t('error.no_page')}</h1>}
      action={
        <Link to="/" className={buttonClass('plain')}>
          {t('nav.overview')}
        </Link>
      }
    >
      {t('error.no_page.advice')}
    </EmptyState>
  )
}

/** A page of another role, which a shared link has opened. */
export function OtherRolePage() {
  const { name, role } = useMe()
  usePageTitle(t('error.other_role'))
  return (
    <EmptyState
      icon="user"
      title={<h1>{t('error.other_role')}</h1>}
      action={
        <Link to="/" className={buttonClass('plain')}>
          {t('nav.overview')}
        </Link>
      }
    >
      {t('error.other_role.advice', { name, role: t(`role.${role}`) })}
    </EmptyState>
  )
}

/** Reloads only if the gateway answers, as the browser would replace the console by an error page of its own. */
async function reloadIfReachable(): Promise<void> {
  if (await isGatewayReachable()) window.location.reload()
  else showToast(t('error.unreachable'), { tone: 'bad' })
}

/** The errors of a code chunk that a newer build has replaced. The page is then reloaded, once. */
const MISSING_PART = /dynamically imported module|Importing a module script failed|error loading dynamically/i

export function PageError({ error }: { readonly error: unknown }) {
  const isReplaced = error instanceof Error && MISSING_PART.test(error.message)
  useEffect(() => {
    if (!isReplaced || tabStorage.read('reloaded') === 'yes') return
    tabStorage.write('reloaded', 'yes')
    window.location.reload()
  }, [isReplaced])
  return <ErrorState error={error} onRetry={() => void reloadIfReachable()} />
}
