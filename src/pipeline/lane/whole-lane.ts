import type { Failure } from '../../canonical/failure.ts'
import type { Steps } from '../../kit/async/steps.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import { conversationBound, type Lane, type WholeReply, wholeJson } from './lane.ts'

export type WholeLaneParts = Omit<
  Lane,
  'createStreamRelay' | 'readWhole' | 'whole' | 'answerHeaders' | 'answerBound'
> &
  Partial<Pick<Lane, 'answerHeaders' | 'answerBound'>>

/** Creates a lane for an operation whose answers are never streams. */
export function createWholeLane(
  parts: WholeLaneParts,
  readWhole: (body: Buffer) => Steps<WholeReply | Failure>,
): Lane {
  return {
    answerHeaders: [],
    answerBound: conversationBound,
    ...parts,
    whole: wholeJson,
    readWhole,
    createStreamRelay() {
      throw new InvariantError('this operation has no streams')
    },
  }
}
