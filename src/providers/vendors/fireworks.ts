import { type Dialect, defaultDialect } from '../../wire/dialect.ts'
import type { Provider } from '../provider.ts'

export const fireworks: Provider = {
  id: 'fireworks',
  formats: ['chat'],
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  environmentKey: 'FIREWORKS_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  endpoints: { completions: () => true, embeddings: { maxInputs: 256, base64: false } },
  steeringFields: [],
  dialect: (model) => ({
    ...defaultDialect,
    acceptsTopK: true,
    refusedFields: ['verbosity'],
    ...reasoningOf(model),
  }),
  prices: {
    litellm: ['fireworks_ai', 'fireworks_ai-embedding-models'],
    namesOf: (model) => [model, `accounts/fireworks/models/${model}`],
  },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://docs.fireworks.ai/guides/reasoning',
      'https://docs.getbifrost.ai/providers/supported-providers/fireworks',
    ],
  },
}

/** The models that think. Models of other families refuse an effort. */
function reasoningOf(model: string): Partial<Dialect> {
  if (model.includes('gpt-oss')) {
    return { reasoning: 'effort', efforts: ['low', 'medium', 'high'], reasoningReplay: 'reasoning_content' }
  }
  if (!/deepseek-(r1|v3p[1-9]|v4)|glm-|kimi-k|minimax-m|qwen3(?!.*(instruct|coder))/.test(model)) return {}
  const efforts = ['none', 'low', 'medium', 'high'] as const
  return { reasoning: 'effort', efforts, reasoningReplay: 'reasoning_content' }
}
