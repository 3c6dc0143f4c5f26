import { Link } from '@tanstack/react-router'
import { findText, t } from '../../language/language.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Banner } from '../../ui/states.tsx'
import { EntryFrame } from './entry-frame.tsx'

/** The result of a sign-in through the identity provider, if no other page follows. */
export function SingleSignOnPage() {
  const outcome = new URLSearchParams(window.location.search).get('outcome') ?? ''
  if (outcome === 'reauthenticated')
    return (
      <EntryFrame title={t('sso.title')}>
        <Banner tone="good">{t('sso.done')}</Banner>
      </EntryFrame>
    )
  return (
    <EntryFrame title={t('sso.title')}>
      <div className="space-y-5">
        <Banner tone="bad">{findText(`sso.outcome.${outcome}`) ?? t('sso.outcome.other')}</Banner>
        <Link to="/" className={buttonClass('plain')}>
          {t('sso.back')}
        </Link>
      </div>
    </EntryFrame>
  )
}
