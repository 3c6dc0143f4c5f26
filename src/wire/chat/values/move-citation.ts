import type { Citation } from '../../../canonical/content.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'

/**
 * Moves the offsets of a citation. The format counts them from the start of the content, which joins all texts of an
 * answer, and the canonical form from the start of one text. Offsets that are before that text are left out.
 */
export function moveCitation(citation: Citation, by: number): Citation {
  if (by === 0) return citation
  const { startIndex, endIndex, ...others } = citation
  const [start, end] = [startIndex, endIndex].map((index) => (index === undefined ? undefined : index + by))
  if ((start ?? 0) < 0 || (end ?? 0) < 0) return others
  return omitUndefined({ ...others, startIndex: start, endIndex: end })
}
