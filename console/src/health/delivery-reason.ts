import type { TestedReceiver } from '../../../src/admin/alerts/alert-contract.ts'
import { t } from '../language/language.ts'

/** The reason why an alert did not arrive, in the language of the page. */
export function writeDeliveryReason({
  status,
  no_answer: kind,
}: Pick<TestedReceiver, 'status' | 'no_answer'>): string {
  if (kind !== null) return t(`alerts.no_answer.${kind}`)
  return t('alerts.answered_status', { status: String(status) })
}
