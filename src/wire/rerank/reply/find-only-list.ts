const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** The byte offsets of a list in an answer, including its brackets. */
export interface ListSpan {
  readonly start: number
  readonly end: number
}

/**
 * Finds the list of an answer, if the answer has only one square bracket of each kind. Then no other list is possible.
 */
export function findOnlyList(answer: Buffer): ListSpan | undefined {
  const start = answer.indexOf(OPEN_BRACKET)
  const close = answer.indexOf(CLOSE_BRACKET)
  const isOnly = answer.lastIndexOf(OPEN_BRACKET) === start && answer.lastIndexOf(CLOSE_BRACKET) === close
  return isOnly && start !== -1 && start < close ? { start, end: close + 1 } : undefined
}
