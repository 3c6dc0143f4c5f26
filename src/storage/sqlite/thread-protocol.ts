import type { SqliteFault } from './sqlite-protocol.ts'

/** The first message to a thread: the file that it owns. */
export interface ThreadOrder {
  readonly file: string
}

/** The messages to a thread that owns a store, in order. */
export type ThreadRequest<Ask> =
  | { readonly type: 'ask'; readonly id: number; readonly ask: Ask }
  | { readonly type: 'close'; readonly id: number }

export type ThreadReply<Answer> =
  /** The thread has loaded its program and waits for its file. */
  | { readonly type: 'loaded' }
  | { readonly type: 'opened' }
  /** The answer; absent when a store was closed. */
  | { readonly type: 'done'; readonly id: number; readonly answer?: Answer }
  /** The failure. It has no ID where the store could not be opened; the thread has ended then. */
  | { readonly type: 'failed'; readonly id: number | undefined; readonly fault: SqliteFault }

/** Whether an answer is of the expected type. */
export function isAnswerTo<Answer extends { readonly type: string }, Type extends Answer['type']>(
  answer: Answer,
  type: Type,
): answer is Extract<Answer, { readonly type: Type }> {
  return answer.type === type
}
