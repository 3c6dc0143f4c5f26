import { type Dialect, defaultDialect } from '../../wire/dialect.ts'
import type { Provider } from '../provider.ts'

/** Alibaba Cloud Model Studio, at its international address. */
export const qwen: Provider = {
  id: 'qwen',
  formats: ['chat'],
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  environmentKey: 'DASHSCOPE_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  endpoints: { embeddings: { maxInputs: 10, base64: false } },
  steeringFields: [],
  dialect: (model) => ({
    ...defaultDialect,
    cacheMarks: true,
    toolStrict: false,
    toolChoices: 'unforced-thinking',
    jsonSchema: false,
    acceptsTopK: true,
    refusedFields: ['frequency_penalty', 'logit_bias', 'user', 'service_tier', 'verbosity'],
    ...reasoningOf(model),
  }),
  prices: { litellm: ['dashscope'] },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://www.alibabacloud.com/help/en/model-studio/deep-thinking',
      'https://ai-sdk.dev/providers/ai-sdk-providers/alibaba',
      'https://github.com/QwenLM/qwen-code/issues/7659 (choices of tools)',
    ],
  },
}

/** Models with two modes have a switch. Models with one mode, thinking or not, refuse it. */
function reasoningOf(model: string): Partial<Dialect> {
  if (/instruct|coder|-vl-ocr|-mt-|^qwen2|^qwen1/.test(model)) return { toolChoices: 'all' }
  const replay = { reasoningReplay: 'reasoning_content' } as const
  if (/thinking|^qwq|^qvq/.test(model)) return replay
  return /^qwen/.test(model) ? { ...replay, reasoning: 'enable_thinking' } : replay
}
