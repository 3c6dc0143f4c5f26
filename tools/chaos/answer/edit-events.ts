import type { Random } from '../../../src/kit/random/random.ts'
import type { FaultFormat } from '../script/fault-call.ts'
import type { EventEdit, Insertion } from '../script/fault-schema.ts'
import type { Position } from '../script/position-schema.ts'
import { type AnswerPart, type FaultAnswer, withParts } from './fault-answer.ts'
import { locatePart } from './locate-position.ts'
import { writeInsertion } from './write-insertion.ts'

export interface EditContext {
  readonly format: FaultFormat
  readonly random: Random
}

/** Carries out the edits one after the other, each on what the one before left. */
export function editEvents(
  answer: FaultAnswer,
  edits: readonly EventEdit[],
  context: EditContext,
): FaultAnswer {
  return edits.reduce((edited, edit) => editOnce(edited, edit, context), answer)
}

function editOnce(answer: FaultAnswer, edit: EventEdit, context: EditContext): FaultAnswer {
  const { parts } = answer
  if ('insert' in edit) return insert(answer, edit, context)
  if ('swap' in edit) return swap(answer, edit.swap, context)
  if ('drop' in edit)
    return withParts(
      answer,
      parts.filter(({ kind }) => kind !== edit.drop),
    )
  const repeated = parts.flatMap((part) =>
    part.kind === edit.repeat ? Array.from({ length: 1 + (edit.times ?? 1) }, () => part) : [part],
  )
  return withParts(answer, repeated)
}

/** Inserts an event. In a whole answer the position is the next boundary between two pieces. */
function insert(answer: FaultAnswer, edit: Insertion, { format, random }: EditContext): FaultAnswer {
  const { parts } = answer
  const index = locatePart(answer, edit.after, random)
  const part: AnswerPart = { bytes: writeInsertion(edit, format, parts), kind: 'inserted', words: 0 }
  const inserted = Array.from({ length: edit.times ?? 1 }, () => part)
  const rest = edit.last === true ? [] : parts.slice(index)
  return withParts(answer, [...parts.slice(0, index), ...inserted, ...rest])
}

function swap(answer: FaultAnswer, position: Position, { random }: EditContext): FaultAnswer {
  const { parts } = answer
  const index = locatePart(answer, position, random)
  const [before, after] = [parts[index - 1], parts[index]]
  if (before === undefined || after === undefined) return answer
  return withParts(answer, [...parts.slice(0, index - 1), after, before, ...parts.slice(index + 1)])
}
