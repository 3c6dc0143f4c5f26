import { currentLanguage, findText, t } from '../language/language.ts'
import { ApiError } from './api-error.ts'
import { writeProblemAt } from './write-problem.ts'

interface ErrorText {
  readonly title: string
  /** The next step, if the title does not say it. */
  readonly advice?: string | undefined
}

/**
 * An error in the viewer's language. The gateway's messages are in English. In another language, the general text of
 * the code comes first, followed by the gateway's message or its problems.
 */
export function describeError(error: unknown): ErrorText {
  if (!(error instanceof ApiError)) return { title: t('error.page'), advice: String(error) }
  const { code, message, status, problems } = error
  if (code === 'unreachable') return { title: t('error.unreachable'), advice: t('error.unreachable.advice') }
  if (code === 'unconfirmed') return { title: t('error.unconfirmed') }
  if (code === 'unreadable')
    return { title: t('error.unreadable'), advice: `${t('error.unreadable.advice')} (${status} ${message})` }
  const own = findText(`error.code.${code}`)
  if (own === undefined || currentLanguage() === 'en') return { title: message }
  return { title: own, advice: problems.length === 0 ? message : problems.map(writeProblemAt).join(' ') }
}

/** The error as one sentence. */
export function explainError(error: unknown): string {
  const { title, advice } = describeError(error)
  return advice === undefined ? title : `${title} ${advice}`
}
