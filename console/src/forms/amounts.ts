import { z } from 'zod'
import { t } from '../language/language.ts'

/** Digits, alone or in groups of three, and decimals after a point. */
const AMOUNT =
  /^-?\s?\$?\s?(?=\.?\d)(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?:_\d{3})+|\d{1,3}(?:\s\d{3})+|\d*)(?:\.\d+)?$/

/**
 * A number as people type it: with a leading dollar sign, and commas, spaces or underscores between thousands allowed.
 * A comma before decimals is no number, since without it `0,50` would be 50.
 */
export function readAmount(text: string): number {
  const trimmed = text.trim()
  if (!AMOUNT.test(trimmed)) return Number.NaN
  const amount = Number(trimmed.replace(/[\s$,_]/g, ''))
  return Number.isFinite(amount) ? amount : Number.NaN
}

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
