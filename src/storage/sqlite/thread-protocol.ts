import type { SqliteFault } from './sqlite-protocol.ts'

/** The first message to a thread: the file that it owns from then on. */
export interface ThreadOrder {
  readonly file: string
}

/** The questions to a thread that owns a store, in order. */
export type ThreadRequest<Ask> =
  | { readonly type: 'ask'; readonly id: number; readonly ask: Ask }
  | { readonly type: 'close'; readonly id: number }

export type ThreadReply<Answer> =
  /** The thread waits for its file. */
  | { readonly type: 'loaded' }
  | { readonly type: 'opened' }
  /** The answer; a closed store gives none. */
  | { readonly type: 'done'; readonly id: number; readonly answer?: Answer }
  /** The failure, without an ID where the store could not be opened; the thread has ended then. */
  | { readonly type: 'failed'; readonly id: number | undefined; readonly fault: SqliteFault }

/** Whether a thread answered what it was asked. */
export function isAnswerTo<Answer extends { readonly type: string }, Type extends Answer['type']>(
  answer: Answer,
  type: Type,
): answer is Extract<Answer, { readonly type: Type }> {
  return answer.type === type
}
