import type { SqliteFault } from './sqlite-protocol.ts'

/** What a thread that owns a store is asked, in order. */
export type ThreadRequest<Ask> =
  | { readonly type: 'ask'; readonly id: number; readonly ask: Ask }
  | { readonly type: 'close'; readonly id: number }

export type ThreadReply<Answer> =
  | { readonly type: 'opened' }
  /** Without an answer once it is closed. */
  | { readonly type: 'done'; readonly id: number; readonly answer?: Answer }
  /** Without an id where the store could not be opened; the thread has ended then. */
  | { readonly type: 'failed'; readonly id: number | undefined; readonly fault: SqliteFault }

/** Whether a thread answered what it was asked. */
export function isAnswerTo<Answer extends { readonly type: string }, Type extends Answer['type']>(
  answer: Answer,
  type: Type,
): answer is Extract<Answer, { readonly type: Type }> {
  return answer.type === type
}
