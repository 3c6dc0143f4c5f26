import { z } from 'zod'
import { t } from '../language/language.ts'

export const MIN_PASSWORD_CHARACTERS = 12

/** A new password of a user; the gateway checks the rest. */
export function newPasswordSchema() {
  return z
    .string()
    .min(MIN_PASSWORD_CHARACTERS, { error: t('link.password.short', { min: MIN_PASSWORD_CHARACTERS }) })
}
