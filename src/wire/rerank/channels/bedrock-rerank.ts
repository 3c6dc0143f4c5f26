import { createLossList } from '../../../canonical/loss.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { ChannelRerank } from '../../operations/rerank-format.ts'
import { readReply } from '../reply/read-reply.ts'
import { writeTexts } from './write-documents.ts'

/**
 * The rerankers of Cohere and Amazon on Amazon Bedrock, which invokes each in its maker's own format
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/rerank-supported.html, seen 2026-11-24). The model is in the
 * path. The answer has no usage.
 */
export const bedrockRerank: ChannelRerank = {
  path: ({ model }) => `/model/${encodeURIComponent(model)}/invoke`,
  writeRequest(request, model) {
    const losses = createLossList()
    if (request.truncation === false) losses.lose('foreign-field', 'dropped', 'truncation')
    const isCohere = /cohere\./i.test(model)
    if (request.maxTokensPerDocument !== undefined && !isCohere)
      losses.lose('foreign-field', 'dropped', 'max_tokens_per_doc')
    const value = omitUndefined({
      query: request.query,
      documents: writeTexts(request.documents),
      top_n: request.topN,
      ...(isCohere && { api_version: 2, max_tokens_per_doc: request.maxTokensPerDocument }),
    })
    return { value, losses: losses.all }
  },
  readReply,
}
