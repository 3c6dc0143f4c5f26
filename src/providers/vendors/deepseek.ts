import { defaultDialect } from '../../wire/dialect.ts'
import type { Provider } from '../provider.ts'

export const deepseek: Provider = {
  id: 'deepseek',
  formats: ['chat'],
  baseUrl: 'https://api.deepseek.com',
  environmentKey: 'DEEPSEEK_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  modelListNeedsKey: true,
  // All models except the oldest think by default, and then refuse tool choices that force a call. With tools in the
  // request, every earlier answer must carry its reasoning. Where it is missing, an empty text is accepted.
  steeringFields: [],
  dialect: (model) => ({
    ...defaultDialect,
    textParts: false,
    reasoning: 'thinking',
    efforts: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    reasoningReplay: 'reasoning_content',
    missingReasoning: '',
    toolStrict: false,
    toolChoices: model === 'deepseek-chat' ? 'all' : 'unforced-thinking',
    acceptsParallelToolCalls: false,
    jsonSchema: false,
    refusedFields: ['n', 'seed', 'logit_bias', 'user', 'service_tier', 'verbosity'],
  }),
  prices: { litellm: ['deepseek'] },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://api-docs.deepseek.com/guides/thinking_mode',
      'https://docs.rs/deepseek-sdk (fields)',
      'https://github.com/deepseek-ai/DeepSeek-V3/issues/1376 (choices of tools)',
      'https://github.com/QwenLM/qwen-code/pull/2320 (content as text alone)',
      'https://github.com/theopenco/llmgateway/pull/2093 (empty reasoning)',
      'https://github.com/nextcloud/integration_openai/issues/182 (the list needs a key)',
    ],
  },
}
