import { defaultDialect } from '../../wire/dialect.ts'
import { jinaRerank } from '../../wire/rerank/channels/jina-rerank.ts'
import type { Provider } from '../provider.ts'

/** Jina makes embeddings and reranks documents. It has no conversations. */
export const jina: Provider = {
  id: 'jina',
  formats: ['chat'],
  baseUrl: 'https://api.jina.ai/v1',
  environmentKey: 'JINA_API_KEY',
  auth: 'bearer',
  needsKey: true,
  models: [
    'jina-embeddings-v4',
    'jina-embeddings-v3',
    'jina-reranker-v3',
    'jina-reranker-m0',
    'jina-reranker-v2-base-multilingual',
  ],
  // Jina calls `encoding_format` `embedding_type`, so vectors are requested as numbers.
  endpoints: { embeddings: { maxInputs: 512, base64: false }, rerank: jinaRerank },
  steeringFields: [],
  dialect: () => defaultDialect,
  prices: { litellm: ['jina_ai'] },
  sources: { seen: '2026-11-24', pages: ['https://api.jina.ai/redoc', 'https://jina.ai/reranker'] },
}
