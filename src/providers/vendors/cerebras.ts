import { type Dialect, defaultDialect } from '../../wire/dialect.ts'
import type { Provider } from '../provider.ts'

export const cerebras: Provider = {
  id: 'cerebras',
  formats: ['chat'],
  baseUrl: 'https://api.cerebras.ai/v1',
  environmentKey: 'CEREBRAS_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  endpoints: { completions: () => true },
  // Cerebras refuses unknown fields, also within messages. It knows `reasoning` there, but not `reasoning_content`.
  steeringFields: [],
  dialect: (model) => ({
    ...defaultDialect,
    maxTokensField: 'max_completion_tokens',
    refusedFields: ['presence_penalty', 'frequency_penalty', 'logit_bias', 'service_tier', 'verbosity'],
    ...reasoningOf(model),
  }),
  prices: { litellm: ['cerebras'] },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://inference-docs.cerebras.ai/api-reference/chat-completions',
      'https://inference-docs.cerebras.ai/capabilities/reasoning',
      'https://www.developersdigest.tech/reference/api-compatibility/cerebras',
      'https://github.com/QwenLM/qwen-code/issues/11045 (reasoning sent back)',
    ],
  },
}

function reasoningOf(model: string): Partial<Dialect> {
  if (model.startsWith('gpt-oss')) {
    return { reasoning: 'effort', efforts: ['low', 'medium', 'high'], reasoningReplay: 'reasoning' }
  }
  if (model.startsWith('zai-glm')) {
    return { reasoning: 'effort', efforts: ['none'], reasoningReplay: 'reasoning' }
  }
  return model.startsWith('qwen-3') ? { reasoningReplay: 'reasoning' } : {}
}
