import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { t } from '../language/language.ts'
import { tabStorage } from '../lib/browser-storage.ts'
import { buttonClass } from '../ui/button.tsx'
import { EmptyState, ErrorState, Skeleton } from '../ui/states.tsx'

export function PagePending() {
  return <Skeleton rows={6} />
}

export function NotFoundPage() {
  return (
    <EmptyState
      icon="search"
      title={t('error.no_page')}
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

/** A part of the page that another build replaced is not there any more; the page is then loaded anew, once. */
const MISSING_PART = /dynamically imported module|Importing a module script failed|error loading dynamically/i

export function PageError({ error }: { readonly error: unknown }) {
  const isReplaced = error instanceof Error && MISSING_PART.test(error.message)
  useEffect(() => {
    if (!isReplaced || tabStorage.read('reloaded') === 'yes') return
    tabStorage.write('reloaded', 'yes')
    window.location.reload()
  }, [isReplaced])
  return <ErrorState error={error} onRetry={() => window.location.reload()} />
}
