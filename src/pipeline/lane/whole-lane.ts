import type { Failure } from '../../canonical/failure.ts'
import { runToEnd, type Steps } from '../../kit/async/steps.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import type { Lane, WholeReply } from './lane.ts'

/** A lane of an operation whose answers are never streams. */
export function createWholeLane(
  parts: Omit<Lane, 'createStreamRelay' | 'replayWhole' | 'readWhole' | 'wholeSteps'>,
  readInSteps: (body: Buffer) => Steps<WholeReply | Failure>,
): Lane {
  const readWhole = (body: Buffer) => runToEnd(readInSteps(body))
  return {
    ...parts,
    readWhole,
    replayWhole: readWhole,
    wholeSteps: readInSteps,
    createStreamRelay() {
      throw new InvariantError('this operation has no streams')
    },
  }
}
