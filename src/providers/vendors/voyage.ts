import { defaultDialect } from '../../wire/dialect.ts'
import { createOutputDimensionEmbeddings } from '../../wire/embeddings/values/output-dimension-embeddings.ts'
import { voyageRerank } from '../../wire/rerank/channels/voyage-rerank.ts'
import type { Provider } from '../provider.ts'

/** Voyage makes embeddings and reranks documents. It has no conversations. */
export const voyage: Provider = {
  id: 'voyage',
  formats: ['chat'],
  baseUrl: 'https://api.voyageai.com/v1',
  environmentKey: 'VOYAGE_API_KEY',
  auth: 'bearer',
  needsKey: true,
  models: [
    'voyage-4-large',
    'voyage-4',
    'voyage-4-lite',
    'voyage-code-4',
    'rerank-3',
    'rerank-3-lite',
    'rerank-2.5',
    'rerank-2.5-lite',
  ],
  endpoints: {
    embeddings: {
      maxInputs: 1_000,
      base64: true,
      format: createOutputDimensionEmbeddings(
        new Set(['input_type', 'output_dimension', 'output_dtype', 'truncation']),
      ),
    },
    rerank: voyageRerank,
  },
  steeringFields: [],
  dialect: () => defaultDialect,
  prices: { litellm: ['voyage'], litellmPrefix: 'voyage' },
  sources: {
    seen: '2026-11-24',
    pages: [
      'https://docs.voyageai.com/reference/embeddings-api',
      'https://docs.voyageai.com/reference/reranker-api',
    ],
  },
}
