import { InvariantError } from '../../kit/errors/invariant-error.ts'
import type { ConversationFormat } from '../wire-format.ts'

type OfVerbatimLane =
  | 'path'
  | 'forwardedHeaders'
  | 'spliceRequest'
  | 'setOutputCap'
  | 'createStreamWatcher'
  | 'watchReply'
  | 'readError'
  | 'readReply'
  | 'readReplyInSteps'

/**
 * The members that forward the bytes of callers to channels of the same format, for a format that no channel speaks.
 * Requests of such a format are always translated, so these members are never called.
 */
export const noChannel: Pick<ConversationFormat, OfVerbatimLane> = {
  path: '',
  forwardedHeaders: [],
  spliceRequest: refuseChannel,
  setOutputCap: refuseChannel,
  createStreamWatcher: refuseChannel,
  watchReply: refuseChannel,
  readError: refuseChannel,
  readReply: refuseChannel,
  readReplyInSteps: refuseChannel,
}

/** Throws `InvariantError`. No request reaches this function. */
export function refuseChannel(): never {
  throw new InvariantError('no channel speaks this format')
}
