import { z } from 'zod'
import { t } from '../language/language.ts'
import { readAmount } from './read-amount.ts'

/** A schema for a number above zero, or an empty text. */
export function optionalAmount({ isWhole = false } = {}) {
  const error = t(isWhole ? 'form.whole_number' : 'form.number')
  return z.string().superRefine((text, context) => {
    if (text.trim() === '') return
    const amount = readAmount(text)
    if (Number.isNaN(amount) || (isWhole && !Number.isInteger(amount)))
      context.addIssue({ code: 'custom', message: error })
    else if (amount <= 0) context.addIssue({ code: 'custom', message: t('form.positive') })
  })
}

/** The amount. Undefined for an empty text. */
export function amountOf(text: string): number | undefined {
  return text.trim() === '' ? undefined : readAmount(text)
}
