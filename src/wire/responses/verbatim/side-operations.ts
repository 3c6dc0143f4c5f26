import { GatewayError } from '../../../canonical/failure.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { readErrorInAnswer } from '../../errors/read-error.ts'
import { termsWithoutOutput } from '../../spending-terms.ts'
import type { ConversationFormat } from '../../wire-format.ts'
import { responsesFormat } from '../format.ts'
import { readUsage } from '../values/read-usage.ts'
import { readSpendingTerms } from './read-spending-terms.ts'
import { scanRequest } from './scan-request.ts'

/**
 * Creates an operation below `/responses` that calls a model with a request of this format
 * (https://platform.openai.com/docs/api-reference/responses, seen 2026-11-20). There are two: compacting a
 * conversation, with a result that only its provider can read, and counting the tokens of a conversation. Both are
 * specific to the provider, so they are forwarded unchanged to channels of the format and to no others. Answers never
 * stream.
 */
function createSideOperation(path: string, what: string): ConversationFormat {
  const refuse = () => {
    throw new GatewayError('operation_not_supported', {
      param: 'model',
      message: `The channel for this model speaks another format, and cannot ${what}. Use a model of a channel of the responses format, or ask the operator of this gateway for one.`,
    })
  }
  return {
    ...responsesFormat,
    path,
    scanRequest: (body) => ({ ...scanRequest(body), isStream: false }),
    readSpendingTerms: (scanned) => ({ ...readSpendingTerms(scanned), canBeCapped: false }),
    // These operations have no field for an output cap.
    setOutputCap: () => ({ edits: [], losses: [] }),
    readRequest: refuse,
    readRequestInSteps: refuse,
    watchReply(body) {
      const fault = isJsonObject(body) ? readErrorInAnswer(body) : undefined
      if (fault !== undefined) return { failure: fault }
      const usage = isJsonObject(body) ? readUsage({ usage: body['usage'] }) : undefined
      return usage === undefined ? {} : { usage }
    },
  }
}

export const compactOperation = createSideOperation('/responses/compact', 'compact conversations')
export const inputTokensOperation: ConversationFormat = {
  ...createSideOperation('/responses/input_tokens', 'count the tokens of requests of this format'),
  readSpendingTerms: () => termsWithoutOutput,
  isBackground: () => false,
  onlyCounts: true,
}
