export type PartKind = 'start' | 'content' | 'finish' | 'usage' | 'terminator' | 'inserted'

/** A stretch of a body: an event of a stream, or a piece of a whole answer. */
export interface AnswerPart {
  readonly bytes: Buffer
  readonly kind: PartKind
  /** The text of the answer. */
  readonly words: number
}

export interface FaultAnswer {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly parts: readonly AnswerPart[]
  readonly isStream: boolean
}

/** The same answer with other parts. */
export function withParts(answer: FaultAnswer, parts: readonly AnswerPart[]): FaultAnswer {
  return { ...answer, parts }
}
