import { createFailure } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { membersOfFamily } from '../operations/members-of-family.ts'
import type { TokenCountFormat } from '../operations/token-count-format.ts'
import { termsWithoutOutput } from '../spending-terms.ts'
import { setField, spliceBody } from '../verbatim/scan-body.ts'
import type { WatchedReply } from '../watched-reply.ts'
import type { Edit, ScannedRequest } from '../wire-format.ts'
import { readErrorInAnswer } from './errors/read-error.ts'
import { geminiFormat } from './format.ts'
import { readInner } from './request/read-inner.ts'
import { requestFields } from './request/request-fields.ts'
import { modelName, modelPath } from './values/model-path.ts'
import { nameModel } from './values/name-model.ts'
import { createTermsScan } from './verbatim/scan-terms.ts'

const { readRequestInSteps } = geminiFormat

/** Both names of the field that holds a whole request. */
const CAMEL = 'generateContentRequest'
const SNAKE = 'generate_content_request'

const wholeFields = [...Object.keys(requestFields), 'model']

/** Gemini's token counting (https://ai.google.dev/api/tokens, seen 2026-11-20). */
export const geminiCountTokensFormat: TokenCountFormat = {
  id: 'gemini-count-tokens',
  kind: 'token-count',
  family: 'gemini',
  ...membersOfFamily(geminiFormat),
  path: ({ model }) => `${modelPath(model)}:countTokens`,
  scanRequest: createTermsScan({ fields: ['contents', CAMEL, 'model'], required: ['contents', CAMEL] }),
  readSpendingTerms: () => termsWithoutOutput,
  spliceRequest,
  readRequestInSteps: (body) => readRequestInSteps(inner(body)),
  watchReply,
  usagePath: ['usageMetadata'],
  writeCount: (totalTokens) => ({ totalTokens }),
}

/** The request to count: the body itself (contents only), or the whole request in a field of the body. */
function inner(body: JsonObject): JsonObject {
  const whole = body[CAMEL] ?? body[SNAKE]
  const { model, stream } = body
  return isJsonObject(whole)
    ? { ...whole, ...(model && { model }), ...(stream !== undefined && { stream }) }
    : body
}

/** The path names the model. A whole request repeats the name, and the body may repeat it too. */
function spliceRequest(scanned: ScannedRequest, { model }: { readonly model: string }): readonly Buffer[] {
  const edits: Edit[] = []
  if (scanned.fields.has('model')) edits.push(setField(scanned, 'model', JSON.stringify(modelName(model))))
  const field = scanned.fields.get(CAMEL.toLowerCase()) ?? scanned.fields.get(SNAKE)
  const whole = field === undefined ? undefined : readInner(scanned, field)
  if (field !== undefined && isJsonObject(whole)) {
    const named = nameModel(whole, { fields: wholeFields, path: field.name, model })
    edits.push({ start: field.valueStart, end: field.valueEnd, text: JSON.stringify(named) })
  }
  return spliceBody(scanned.body, edits)
}

/** Checks an answer: only a whole number of tokens is valid. */
function watchReply(body: JsonValue): WatchedReply {
  if (!isJsonObject(body)) return { failure: createFailure('upstream_bad_response') }
  const { totalTokens: count } = body
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return {}
  return { failure: readErrorInAnswer(body) ?? createFailure('upstream_bad_response') }
}
