import { type Dialect, defaultDialect } from '../../wire/dialect.ts'
import { int8Embeddings } from '../../wire/embeddings/values/int8-embeddings.ts'
import type { Provider } from '../provider.ts'

export const perplexity: Provider = {
  id: 'perplexity',
  formats: ['chat'],
  baseUrl: 'https://api.perplexity.ai',
  environmentKey: 'PERPLEXITY_API_KEY',
  auth: 'bearer',
  needsKey: true,
  models: [
    'sonar',
    'sonar-pro',
    'sonar-reasoning-pro',
    'sonar-deep-research',
    'pplx-embed-v1-0.6b',
    'pplx-embed-v1-4b',
  ],
  // Perplexity has embeddings below /v1, but not conversations.
  endpoints: { embeddings: { maxInputs: 512, base64: false, format: int8Embeddings } },
  // The Sonar models support no tools. Usage comes in every chunk of a stream, without a request for it.
  steeringFields: [],
  dialect: (model) => ({
    ...defaultDialect,
    participantNames: false,
    turnOrder: 'alternating',
    streamUsageOption: false,
    tools: false,
    acceptsParallelToolCalls: false,
    jsonObject: false,
    acceptsTopK: true,
    refusedFields: [
      'stop',
      'n',
      'seed',
      'logprobs',
      'top_logprobs',
      'logit_bias',
      'user',
      'service_tier',
      'verbosity',
    ],
    ...effortsOf(model),
  }),
  prices: { litellm: ['perplexity'] },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://docs.perplexity.ai/docs/sonar/openai-compatibility',
      'https://docs.getbifrost.ai/providers/supported-providers/perplexity',
      'https://github.com/perplexityai/api-discussion/issues/265 (turns alternate)',
      'https://docs.perplexity.ai/api-reference/embeddings-post (seen 2026-11-22)',
    ],
  },
}

function effortsOf(model: string): Partial<Dialect> {
  if (!/reasoning|deep-research/.test(model)) return {}
  return { reasoning: 'effort', efforts: ['minimal', 'low', 'medium', 'high'] }
}
