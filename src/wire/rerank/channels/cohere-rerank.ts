import { createLossList } from '../../../canonical/loss.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { ChannelRerank } from '../../operations/rerank-format.ts'
import { readReply } from '../reply/read-reply.ts'
import { scanReply } from '../reply/scan-reply.ts'
import { writeTexts } from './write-documents.ts'

/** Cohere's rerank API, version 2 (https://docs.cohere.com/reference/rerank, seen 2026-11-24). Accepts only texts. */
export const cohereRerank: ChannelRerank = {
  path: '/v2/rerank',
  writeRequest(request, model) {
    const losses = createLossList()
    // The provider always truncates longer documents.
    if (request.truncation === false) losses.lose('foreign-field', 'dropped', 'truncation')
    const value = omitUndefined({
      model,
      query: request.query,
      documents: writeTexts(request.documents),
      top_n: request.topN,
      max_tokens_per_doc: request.maxTokensPerDocument,
    })
    return { value, losses: losses.all }
  },
  readReply,
  scanReply,
  own: {
    fields: new Set(['model', 'query', 'documents', 'top_n', 'max_tokens_per_doc']),
    set: [],
  },
}
