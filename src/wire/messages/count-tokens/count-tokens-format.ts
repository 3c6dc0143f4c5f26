import { createFailure } from '../../../canonical/failure.ts'
import { isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { membersOfFamily } from '../../operations/members-of-family.ts'
import type { TokenCountFormat } from '../../operations/token-count-format.ts'
import { termsWithoutOutput } from '../../spending-terms.ts'
import { replaceModel } from '../../verbatim/replace-model.ts'
import type { WatchedReply } from '../../watched-reply.ts'
import { createUpstreamFailure } from '../errors/create-upstream-failure.ts'
import { readErrorFields } from '../errors/read-error-fields.ts'
import { messagesFormat } from '../format.ts'
import { forwardQuery } from '../verbatim/forward-query.ts'
import { scanRequest } from '../verbatim/scan-request.ts'

const { readRequestInSteps } = messagesFormat

/** Anthropic's token counting (https://platform.claude.com/docs/en/api/messages-count-tokens, seen 2026-11-20). */
export const countTokensFormat: TokenCountFormat = {
  id: 'count-tokens',
  kind: 'token-count',
  family: 'messages',
  ...membersOfFamily(messagesFormat),
  forwardQuery,
  path: '/messages/count_tokens',
  /** A count never streams, whatever else the body contains. */
  scanRequest: (body) => ({ ...scanRequest(body), isStream: false }),
  readSpendingTerms: () => termsWithoutOutput,
  spliceRequest: replaceModel,
  /** The body is that of a message, but without the output cap. The reader of messages requires a cap. */
  readRequestInSteps: (body) => readRequestInSteps({ ...body, max_tokens: 1 }),
  watchReply,
  usagePath: ['usage'],
  writeCount: (inputTokens) => ({ input_tokens: inputTokens }),
}

/** Checks an answer: only a whole number of tokens is valid. */
export function watchReply(body: JsonValue): WatchedReply {
  const fields = readErrorFields(body)
  if (fields !== undefined) return { failure: createUpstreamFailure({ fields }) }
  const count = isJsonObject(body) ? body['input_tokens'] : undefined
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0
    ? {}
    : { failure: createFailure('upstream_bad_response') }
}
