import type { CauseFact } from '../../../../src/admin/requests/cause-contract.ts'
import { writeRequestError } from '../../api/describe-error.ts'
import { t } from '../../language/language.ts'

/** The cause of an error in the language of the page. The words of a provider and of the system stay as they are. */
export function writeCause(cause: string, fact: CauseFact | null): string {
  if (fact === null) return cause
  switch (fact.code) {
    case 'model_unknown':
    case 'model_denied':
    case 'model_not_usable':
      return t(`requests.cause.${fact.code}`, { model: fact.model ?? t('requests.cause.unnamed') })
    case 'rate_reached':
      return t('requests.cause.rate_reached', {
        rate: t(`requests.cause.rate.${fact.rate}`),
        limit: fact.limit ?? t('requests.cause.installation'),
      })
    case 'budget_spent':
    case 'budget_too_small': {
      const budget = fact.value === null ? fact.budget : `${fact.budget} · ${fact.value}`
      return t(`requests.cause.${fact.code}`, { budget })
    }
    case 'credit_spent':
    case 'credit_too_small': {
      const owner = t(`requests.cause.owner.${fact.owner}`, { name: fact.name ?? '' })
      return t(`requests.cause.${fact.code}`, { owner })
    }
    case 'content_type':
      return t('requests.cause.content_type', { type: fact.type })
    case 'closed_by_provider':
      return t('requests.cause.closed_by_provider', { status: String(fact.status), reason: fact.reason })
    case 'error':
      return writeRequestError(fact.error, cause)
    default:
      return t(`requests.cause.${fact.code}`)
  }
}
