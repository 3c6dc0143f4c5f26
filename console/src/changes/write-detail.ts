import type { AuditFact } from '../../../src/admin/audit/audit-contract.ts'
import { findErrorText } from '../api/describe-error.ts'
import { nameReason } from '../health/channel-health.ts'
import { writeCount, writeMoment, writeUsd } from '../language/format.ts'
import { findText, t } from '../language/language.ts'
import { writeBudgetTerms, writeRateTerms } from './write-limit-terms.ts'

/** A detail of a record in the language of the page. A detail that the gateway has only as text stays in English. */
export function writeDetail({ kind, gone, values }: AuditFact): string {
  if (kind === 'text') return values['text'] ?? ''
  const said = t(`audit.detail.${kind}`, {
    ...values,
    ...writeValues(values),
    ...writeAlertValues(values),
    ...writeValue(kind, values),
    ...writeChange(kind, values),
  })
  return gone ? t('audit.detail_gone', { said }) : said
}

function writeValues({ at, usd, count, object }: AuditFact['values']): Record<string, string> {
  return {
    ...(at !== undefined && { at: writeMoment(at) }),
    ...(usd !== undefined && { usd: writeUsd(Number(usd)) }),
    ...(count !== undefined && { shown: writeCount(Number(count)) }),
    ...(object !== undefined && {
      object: findText(`audit.object.${object.replaceAll(' ', '_')}`) ?? object,
    }),
  }
}

/** A value that was not there, or is not there any more, has a word of its own. */
function writeChange(
  kind: AuditFact['kind'],
  { before = t('audit.no_value'), after = t('audit.no_value') }: AuditFact['values'],
): Record<string, string> {
  return kind === 'object_changed' || kind === 'setting_changed' ? { before, after } : {}
}

function writeAlertValues({ subject, target, reason }: AuditFact['values']): Record<string, string> {
  return {
    ...(subject !== undefined && {
      subject: subject === 'all requests' ? t('alerts.says.all') : subject.replace(/^\w+ /, ''),
    }),
    ...(target !== undefined && { target: target.replaceAll(/, (?:credential|model) /g, ' · ') }),
    ...(reason !== undefined && { reason: nameReason(reason) }),
  }
}

function writeValue(kind: AuditFact['kind'], { value }: AuditFact['values']): Record<string, string> {
  if (value === undefined) return {}
  switch (kind) {
    case 'role':
      return { value: findText(`role.${value}`) ?? value }
    case 'type':
      return { value: findText(`users.link.${value}`) ?? value }
    case 'refused':
      return { value: findErrorText(value) ?? value }
    case 'budget':
    case 'end_user_budget':
      return { value: writeBudgetTerms(value) }
    case 'rate':
      return { value: writeRateTerms(value) }
    default:
      return {}
  }
}
