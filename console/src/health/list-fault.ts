import type { CheckFaultView } from '../../../src/admin/health-contract.ts'
import { findText, t } from '../language/language.ts'

interface DescribedFault {
  /** The sentence of the gateway. */
  readonly message: string
  readonly fact: CheckFaultView | null
}

/** The reason why a list of models could not be read or a check failed, in the language of the page. */
export function writeListFault({ message, fact }: DescribedFault): string {
  if (fact === null) return message
  switch (fact.code) {
    case 'no_answer':
      return t(`alerts.no_answer.${fact.values.cause}`)
    case 'answered_status':
      return t('alerts.answered_status', { status: String(fact.values.status) })
    case 'no_credential':
      return t('list_fault.no_credential', { reason: message })
    case 'failed': {
      const { error } = fact.values
      return findText(`error.request.${error}`) ?? findText(`error.code.${error}`) ?? message
    }
    default:
      return t(`list_fault.${fact.code}`)
  }
}
