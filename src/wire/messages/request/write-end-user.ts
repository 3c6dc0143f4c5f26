import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/** The maximum length of `metadata.user_id` (platform.claude.com/docs/en/api/messages, seen 2026-11-22). */
const MAX_CHARACTERS = 256
const EMAIL = /^[^\s@]+@[^\s@]+$/
const PHONE_NUMBER = /^\+?[\d\s()-]{7,}$/

/**
 * Writes the end user for whom the caller acts. The provider refuses an ID that looks like an email address or a phone
 * number ("user_id appears to contain an email address", github.com/BerriAI/litellm/issues/10106 and 10102, seen
 * 2026-11-22).
 */
export function writeEndUser(endUser: string | undefined, losses: LossList): JsonObject {
  if (endUser === undefined) return {}
  const isAccepted = endUser.length <= MAX_CHARACTERS && !EMAIL.test(endUser) && !PHONE_NUMBER.test(endUser)
  if (isAccepted) return { metadata: { user_id: endUser } }
  losses.lose('end-user', 'dropped')
  return {}
}
