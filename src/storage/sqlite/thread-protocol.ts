import type { MessagePort } from 'node:worker_threads'
import type { SqliteFault } from './sqlite-protocol.ts'

/** A message to a thread: the file that it opens, and the port for the requests about that file. */
export interface ThreadOrder {
  readonly file: string
  readonly port: MessagePort
}

/** The messages to an open file, in order. */
export type ThreadRequest<Ask> =
  | { readonly type: 'ask'; readonly id: number; readonly ask: Ask }
  | { readonly type: 'close'; readonly id: number }

export type ThreadReply<Answer> =
  | { readonly type: 'opened' }
  | { readonly type: 'not-opened'; readonly fault: SqliteFault }
  /** The answer; absent when a store was closed. */
  | { readonly type: 'done'; readonly id: number; readonly answer?: Answer }
  | { readonly type: 'failed'; readonly id: number; readonly fault: SqliteFault }

/** Whether an answer is of the expected type. */
export function isAnswerTo<Answer extends { readonly type: string }, Type extends Answer['type']>(
  answer: Answer,
  type: Type,
): answer is Extract<Answer, { readonly type: Type }> {
  return answer.type === type
}
