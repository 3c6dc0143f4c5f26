import type { Edit, OutputCap } from '../wire-format.ts'
import { readSent } from './read-count.ts'
import { setField } from './scan-body.ts'
import type { ScannedMember } from './scan-member.ts'

/** The names of a format's output cap. */
export interface CapFields {
  readonly names: readonly string[]
  /** The one that is added where the caller sent none. */
  readonly added: string
  /** The least value that caps. */
  readonly min?: number
}

/** An output cap that is set: the edits for it, and what it was. */
export interface SetCap {
  readonly edits: readonly Edit[]
  readonly from: number | undefined
}

/**
 * Sets each cap that was sent and is above this one, or the one to be added. No edits: the caller's cap is low enough.
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
