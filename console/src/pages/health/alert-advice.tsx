import { Link } from '@tanstack/react-router'
import type { AlertView } from '../../../../src/admin/alerts/alert-contract.ts'
import { findText, t } from '../../language/language.ts'

/**
 * The advice on an alert, and a link to the page where the user can follow it. The gateway's own advice refers to the
 * command line.
 */
export function AlertAdvice({ alert }: { readonly alert: AlertView }) {
  return (
    <p className="flex flex-wrap gap-x-2 text-[0.8125rem] text-muted">
      <span>{describeAdvice(alert)}</span>
      <AlertLink alert={alert} />
    </p>
  )
}

function describeAdvice({ kind, details }: AlertView): string {
  if (kind === 'budget' && details['mode'] === 'observe') return t('alerts.advice.observed')
  return findText(`health.advice.${details['reason']}`) ?? t(`alerts.advice.${kind}`)
}

const look = 'text-accent hover:underline'

function AlertLink({ alert: { kind, subject, details } }: { readonly alert: AlertView }) {
  const { channel, model, key, budget } = subject
  const { threshold } = details
  switch (kind) {
    case 'channel-down':
    case 'credential':
    case 'model':
      if (channel === undefined) return null
      return (
        <Link to="/channels/$name" params={{ name: channel }} search={{}} className={look}>
          {t('alerts.open.channel', { name: channel })}
        </Link>
      )
    case 'error-rate':
      return (
        <Link
          to="/requests"
          search={{ status: channel === undefined ? '5xx' : undefined, channel, model }}
          className={look}
        >
          {t('alerts.open.requests')}
        </Link>
      )
    case 'latency':
      return (
        <Link
          to="/requests"
          search={{ channel, model, min_ms: typeof threshold === 'number' ? String(threshold) : undefined }}
          className={look}
        >
          {t('alerts.open.requests')}
        </Link>
      )
    case 'budget':
      return (
        <Link to="/budgets" search={{ budget }} className={look}>
          {t('nav.budgets')}
        </Link>
      )
    case 'key-expiry':
      return (
        <Link to="/keys" search={{ q: key }} className={look}>
          {t('alerts.open.key', { name: key ?? '' })}
        </Link>
      )
    case 'unpriced':
      return (
        <Link to="/models" search={{ q: model }} className={look}>
          {t('nav.models')}
        </Link>
      )
    case 'certificate-expiry':
    case 'disk':
      return (
        <Link to="/settings" search={{}} className={look}>
          {t('nav.settings')}
        </Link>
      )
  }
}
