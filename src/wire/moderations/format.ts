import { quoteText } from '../../kit/json/json.ts'
import { watchedWords } from '../../kit/json/watched-words.ts'
import { openAiFrames } from '../openai/format-frames.ts'
import { readCallerLabels } from '../openai/verbatim/read-caller-labels.ts'
import type { ModerationFormat } from '../operations/moderation-format.ts'
import { termsWithoutOutput } from '../spending-terms.ts'
import { type BodySearch, fieldsMayHold } from '../verbatim/find-in-body.ts'
import { replaceModel } from '../verbatim/replace-model.ts'
import { setField, spliceBody } from '../verbatim/scan-body.ts'
import type { RequestChange, ScannedRequest } from '../wire-format.ts'
import { scanRequest } from './verbatim/scan-request.ts'
import { watchReply } from './verbatim/watch-reply.ts'

/** An image in the input, by its URL or its bytes. */
const imageInput: BodySearch = {
  words: watchedWords({ names: ['image_url'] }),
  pattern: /"image_url"\s*:/,
}

/** OpenAI's moderations (https://platform.openai.com/docs/api-reference/moderations, seen 2026-11-24). */
export const moderationsFormat: ModerationFormat = {
  id: 'moderations',
  kind: 'moderation',
  family: 'chat',
  path: '/moderations',
  scanRequest,
  readSpendingTerms: (scanned) => ({
    ...termsWithoutOutput,
    hasMedia: () => fieldsMayHold(scanned, ['input'], imageInput),
  }),
  readCallerLabels,
  spliceRequest,
  watchReply,
  usagePath: ['usage'],
  ...openAiFrames,
  paramOf: ({ field }) => field ?? 'input',
}

/** Adds a model to a body that does not name one, since the upstream's default model may differ. */
function spliceRequest(scanned: ScannedRequest, change: RequestChange): readonly Buffer[] {
  if (scanned.fields.has('model')) return replaceModel(scanned, change)
  return spliceBody(scanned.body, [setField(scanned, 'model', quoteText(change.model))])
}
