import type { Edit, OutputCap } from '../wire-format.ts'
import { readSent } from './read-count.ts'
import { setField } from './scan-body.ts'
import type { ScannedMember } from './scan-member.ts'

/** The names of a format's output cap fields. */
export interface CapFields {
  readonly names: readonly string[]
  /** The field that is added where the caller did not send any. */
  readonly added: string
  /** The smallest value that is a cap. */
  readonly min?: number
}

/** The edits that set an output cap, and the previous cap. */
export interface SetCap {
  readonly edits: readonly Edit[]
  readonly from: number | undefined
}

/**
 * Lowers each cap field that exceeds this cap. Adds one where the caller sent none. Returns no edits if the caller's
 * cap is low enough.
 */
export function lowerCap(
  scanned: ScannedMember,
  { names, added, min = 1 }: CapFields,
  cap: OutputCap,
): SetCap {
  const sent = names.filter((name) => readSent(scanned, name) !== undefined)
  const { tokens, dialect } = cap
  if (sent.length === 0) {
    const { maxOutputTokens: limit = dialect.messagesModel?.maxOutputTokens } = dialect
    const isLow = limit !== undefined && limit <= tokens
    return { edits: isLow ? [] : [setField(scanned, added, `${tokens}`)], from: undefined }
  }
  let from: number | undefined
  const edits: Edit[] = []
  for (const name of sent) {
    const value = readSent(scanned, name)
    const isCap = typeof value === 'number' && value >= min
    if (isCap) from = Math.max(from ?? 0, value)
    if (!isCap || value > tokens) edits.push(setField(scanned, name, `${tokens}`))
  }
  return { edits, from }
}
