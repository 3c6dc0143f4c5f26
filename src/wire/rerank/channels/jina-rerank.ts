import type { RerankDocument } from '../../../canonical/operations/rerank.ts'
import type { JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { ChannelRerank } from '../../operations/rerank-format.ts'
import { readReply } from '../reply/read-reply.ts'
import { scanReply } from '../reply/scan-reply.ts'
import { loseCutOptions } from './lose-cut-options.ts'

/**
 * Jina's rerank API (https://api.jina.ai/redoc, seen 2026-11-24), which vLLM, llama.cpp, Together and many others
 * implement. Documents are texts or objects. The documents in the answer come from the request.
 */
export const jinaRerank: ChannelRerank = {
  path: '/rerank',
  writeRequest(request, model) {
    const losses = loseCutOptions(request)
    const value = omitUndefined({
      model,
      query: request.query,
      documents: request.documents.map(writeDocument),
      top_n: request.topN,
      return_documents: false,
    })
    return { value, losses: losses.all }
  },
  readReply,
  scanReply,
  own: {
    fields: new Set(['model', 'query', 'documents', 'top_n', 'return_documents']),
    set: [['return_documents', 'false']],
  },
}

function writeDocument(document: RerankDocument): JsonValue {
  return document.type === 'text' ? document.text : document.value
}
