import { createLossList } from '../../../canonical/loss.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { ChannelRerank } from '../../operations/rerank-format.ts'
import { readReply } from '../reply/read-reply.ts'
import { scanReply } from '../reply/scan-reply.ts'
import { writeTexts } from './write-documents.ts'

/** Voyage's rerank API (https://docs.voyageai.com/reference/reranker-api, seen 2026-11-24). Accepts only texts. */
export const voyageRerank: ChannelRerank = {
  path: '/rerank',
  writeRequest(request, model) {
    const losses = createLossList()
    if (request.maxTokensPerDocument !== undefined)
      losses.lose('foreign-field', 'dropped', 'max_tokens_per_doc')
    const value = omitUndefined({
      model,
      query: request.query,
      documents: writeTexts(request.documents),
      top_k: request.topN,
      truncation: request.truncation,
    })
    return { value, losses: losses.all }
  },
  readReply,
  scanReply,
  own: {
    fields: new Set(['model', 'query', 'documents', 'top_k', 'truncation']),
    set: [],
  },
}
