import type { EmbeddingFormat } from '../embedding-format.ts'
import { openAiWords } from '../openai/format-words.ts'
import { readCallerLabels } from '../openai/verbatim/read-caller-labels.ts'
import { replaceModel } from '../verbatim/replace-model.ts'
import { readReply } from './reply/read-reply.ts'
import { writeReply } from './reply/write-reply.ts'
import { readRequest } from './request/read-request.ts'
import { writeRequest } from './request/write-request.ts'
import { readSpendingTerms } from './verbatim/read-spending-terms.ts'
import { scanRequest } from './verbatim/scan-request.ts'
import { watchReply } from './verbatim/watch-reply.ts'

/** OpenAI's embeddings (https://platform.openai.com/docs/api-reference/embeddings, seen 2026-11-20). */
export const embeddingsFormat: EmbeddingFormat = {
  id: 'embeddings',
  kind: 'embedding',
  family: 'chat',
  path: '/embeddings',
  scanRequest,
  readSpendingTerms,
  readCallerLabels,
  spliceRequest: replaceModel,
  readRequest,
  writeRequest,
  readReply,
  writeReply,
  watchReply,
  usagePath: ['usage'],
  ...openAiWords,
  // The loss carries the caller's own name for the field.
  paramOf: ({ feature, field }) => field ?? (feature === 'end-user' ? 'user' : 'input'),
}
