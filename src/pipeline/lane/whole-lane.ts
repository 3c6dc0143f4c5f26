import type { Failure } from '../../canonical/failure.ts'
import type { Lane, WholeReply } from './lane.ts'

/** A lane of an operation whose answers are never streams. */
export function createWholeLane(
  parts: Omit<Lane, 'createStreamRelay' | 'replayWhole' | 'readWhole'>,
  readWhole: (body: Buffer) => WholeReply | Failure,
): Lane {
  return {
    ...parts,
    readWhole,
    replayWhole: readWhole,
    createStreamRelay() {
      throw new Error('this operation has no streams')
    },
  }
}
