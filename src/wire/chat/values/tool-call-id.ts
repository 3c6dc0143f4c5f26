import { createHash } from 'node:crypto'
import type { Dialect } from '../../dialect.ts'
import { shortenCallId } from '../../tools/shorten-call-id.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const MISTRAL_ID_LENGTH = 9
/** OpenAI rejects longer IDs (error `string_above_max_length`, github.com/vercel/ai/issues/5171, seen 2026-11-20). */
const MAX_CHARACTERS = 40

/**
 * Returns a call's ID in the form that the server accepts. An ID that does not fit is replaced by its digest. A call,
 * its result, and the same call in the next request therefore share one ID.
 */
export function toolCallId(id: string, { toolCallIds }: Pick<Dialect, 'toolCallIds'>): string {
  if (toolCallIds === 'any') return shortenCallId(id, MAX_CHARACTERS)
  if (/^[A-Za-z0-9]{9}$/.test(id)) return id
  const digest = createHash('sha256').update(id).digest()
  return [...digest.subarray(0, MISTRAL_ID_LENGTH)]
    .map((byte) => ALPHABET.charAt(byte % ALPHABET.length))
    .join('')
}
