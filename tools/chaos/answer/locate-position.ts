import type { Random } from '../../../src/kit/random/random.ts'
import { drawAmount, type Position } from '../script/position-schema.ts'
import type { FaultAnswer } from './fault-answer.ts'

/** The offset of a position in bytes of the body; -1 is before the head. A position past the end is the end. */
export function locateByte({ parts }: FaultAnswer, position: Position, random: Random): number {
  if (position === 'request') return -1
  if (position === 'headers') return 0
  const index = locatePart({ parts }, position, random)
  const before = parts.slice(0, index).reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (typeof position === 'string' || !('bytes' in position)) return before
  const length = parts.reduce((sum, { bytes }) => sum + bytes.length, 0)
  return Math.min(length, drawAmount(position.bytes, random))
}

/** The number of parts before a position; a position within a part is after that part. */
export function locatePart(
  { parts }: Pick<FaultAnswer, 'parts'>,
  position: Position,
  random: Random,
): number {
  if (position === 'end') return parts.length
  if (position === 'content' || position === 'terminator') {
    const index = parts.findIndex(({ kind }) => kind === position)
    return index === -1 ? parts.length : index
  }
  if (typeof position === 'string') return 0
  if ('events' in position) return Math.min(parts.length, drawAmount(position.events, random))
  if ('words' in position) return indexAfter(parts, drawAmount(position.words, random), ({ words }) => words)
  return indexAfter(parts, drawAmount(position.bytes, random), ({ bytes }) => bytes.length)
}

/** The fewest parts whose sum reaches the amount. */
function indexAfter(
  parts: FaultAnswer['parts'],
  amount: number,
  measure: (part: FaultAnswer['parts'][number]) => number,
): number {
  let sum = 0
  if (amount === 0) return 0
  const index = parts.findIndex((part) => {
    sum += measure(part)
    return sum >= amount
  })
  return index === -1 ? parts.length : index + 1
}
