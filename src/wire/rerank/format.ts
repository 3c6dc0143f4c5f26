import { openAiFrames } from '../openai/format-frames.ts'
import { readCallerLabels } from '../openai/verbatim/read-caller-labels.ts'
import type { RerankFormat } from '../operations/rerank-format.ts'
import { replaceModel } from '../verbatim/replace-model.ts'
import { writeReply } from './reply/write-reply.ts'
import { readRequest } from './request/read-request.ts'
import { readSpendingTerms } from './verbatim/read-spending-terms.ts'
import { scanRequest } from './verbatim/scan-request.ts'
import { spliceOwnForm } from './verbatim/splice-own-form.ts'

/**
 * The rerank API of Cohere (https://docs.cohere.com/reference/rerank), Jina (https://api.jina.ai/redoc) and Voyage
 * (https://docs.voyageai.com/reference/reranker-api), all seen 2026-11-24. Requests may have the fields of any of them,
 * and an answer has the fields that the clients of each of them read.
 */
export const rerankFormat: RerankFormat = {
  id: 'rerank',
  kind: 'rerank',
  family: 'chat',
  path: '/rerank',
  scanRequest,
  readSpendingTerms,
  readCallerLabels,
  spliceRequest: replaceModel,
  readRequest,
  spliceOwnForm,
  writeReply,
  watchReply: () => ({}),
  usagePath: ['usage'],
  ...openAiFrames,
  paramOf: ({ field }) => field ?? 'documents',
}
