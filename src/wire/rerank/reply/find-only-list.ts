const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** Offsets of a list in an answer, its brackets included. */
export interface ListSpan {
  readonly start: number
  readonly end: number
}

/** The list of an answer that has no second bracket of either kind, so that nothing else can be the list. */
export function findOnlyList(answer: Buffer): ListSpan | undefined {
  const start = answer.indexOf(OPEN_BRACKET)
  const close = answer.indexOf(CLOSE_BRACKET)
  const isOnly = answer.lastIndexOf(OPEN_BRACKET) === start && answer.lastIndexOf(CLOSE_BRACKET) === close
  return isOnly && start !== -1 && start < close ? { start, end: close + 1 } : undefined
}
