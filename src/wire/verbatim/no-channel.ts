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
 * The members by which the bytes of callers and channels of one format are joined, for a format that no channel speaks:
 * its requests are always translated.
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

/** Reached by no request. */
export function refuseChannel(): never {
  throw new InvariantError('no channel speaks this format')
}
