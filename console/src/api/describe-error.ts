import { currentLanguage, findText, t } from '../language/language.ts'
import { ApiError, isProxyStatus } from './api-error.ts'
import { writeProblemAt } from './write-problem.ts'

interface ErrorText {
  readonly title: string
  /** The next step, if the title does not say it. */
  readonly advice?: string | undefined
}

/**
 * An error in the viewer's language. The gateway's messages are in English. In another language, the general text of
 * the code comes first, followed by the problems. The admin API gives a problem wherever its message says more than
 * the code. A model request has none, so the message follows.
 */
export function describeError(error: unknown): ErrorText {
  if (!(error instanceof ApiError)) return { title: t('error.page'), advice: String(error) }
  const { code, message, status, problems } = error
  if (code === 'unreachable') return { title: t('error.unreachable'), advice: t('error.unreachable.advice') }
  if (code === 'unanswered') return { title: t('error.unreachable'), advice: t('error.unanswered.advice') }
  if (code === 'unconfirmed') return { title: t('error.unconfirmed') }
  if (code === 'unreadable' && isProxyStatus(status))
    return {
      title: t('error.unreachable'),
      advice: `${t('error.unreachable.advice')} (${status} ${message})`,
    }
  if (code === 'unreadable')
    return { title: t('error.unreadable'), advice: `${t('error.unreadable.advice')} (${status} ${message})` }
  if (currentLanguage() === 'en') return { title: message }
  const knownText = findErrorText(code)
  if (knownText !== undefined && problems.length > 0)
    return { title: knownText, advice: problems.map(writeProblemAt).join(' ') }
  if (knownText !== undefined && !openCodes.has(code)) return { title: knownText }
  const general = knownText ?? findText(`error.request.${code}`)
  return general === undefined ? { title: message } : { title: general, advice: message }
}

/** Codes that say nothing without their problems, or without the message of a model request. */
const openCodes: ReadonlySet<string> = new Set(['missing_field', 'invalid_field', 'config_invalid'])

/** The general text of an error code. */
export function findErrorText(code: string): string | undefined {
  return findText(`error.code.${code}`) ?? findText(`sso.outcome.${code}`)
}

/**
 * The meaning of an error that a model request ended with. The gateway's sentence, which says what to do, is in
 * English. A code of another version has the sentence alone.
 */
export function writeRequestError(code: string, message: string | null): string {
  if (currentLanguage() === 'en' && message !== null) return message
  return findText(`error.request.${code}`) ?? findErrorText(code) ?? message ?? code
}

/** The error as one sentence. */
export function explainError(error: unknown): string {
  const { title, advice } = describeError(error)
  return advice === undefined ? title : `${title} ${advice}`
}
