import { type Dialect, defaultDialect } from '../../wire/dialect.ts'
import { jinaRerank } from '../../wire/rerank/channels/jina-rerank.ts'
import type { Provider } from '../provider.ts'

export const together: Provider = {
  id: 'together',
  formats: ['chat'],
  baseUrl: 'https://api.together.ai/v1',
  environmentKey: 'TOGETHER_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  endpoints: {
    completions: () => true,
    embeddings: { maxInputs: 2_048, base64: false },
    rerank: jinaRerank,
  },
  steeringFields: [],
  dialect: (model) => ({
    ...defaultDialect,
    textParts: false,
    toolStrict: false,
    acceptsParallelToolCalls: false,
    acceptsTopK: true,
    refusedFields: ['user', 'service_tier', 'verbosity'],
    ...reasoningOf(model.toLowerCase()),
  }),
  prices: { litellm: ['together_ai'] },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://docs.together.ai/docs/glm-5.3-quickstart',
      'https://docs.together.ai/reference/rerank-1',
      'https://docs.together.ai/docs/kimi-k2-thinking-quickstart',
    ],
  },
}

/** Reasoning has one of two field names, by the model, and goes back under the same name. */
function reasoningOf(model: string): Partial<Dialect> {
  if (/glm-5\.[3-9]/.test(model)) {
    const efforts = ['low', 'medium', 'high', 'max'] as const
    return { reasoning: 'effort', efforts, reasoningReplay: 'reasoning_content' }
  }
  if (model.includes('gpt-oss')) {
    return { reasoning: 'effort', efforts: ['low', 'medium', 'high'], reasoningReplay: 'reasoning' }
  }
  return model.includes('thinking') ? { reasoningReplay: 'reasoning' } : {}
}
