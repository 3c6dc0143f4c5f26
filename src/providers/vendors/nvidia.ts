import { defaultDialect } from '../../wire/dialect.ts'
import { gptOssReasoning } from '../models/gpt-oss-reasoning.ts'
import { turnOrderOf } from '../models/turn-order.ts'
import type { Provider } from '../provider.ts'

/** NVIDIA's hosted models. A self-hosted NIM is a channel of the same provider with its own address. */
export const nvidia: Provider = {
  id: 'nvidia',
  formats: ['chat'],
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  environmentKey: 'NVIDIA_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  endpoints: { embeddings: { maxInputs: 50, base64: true } },
  // The switch for thinking depends on a model's template, so the operator sets it.
  steeringFields: [],
  dialect: (model) => ({
    ...defaultDialect,
    turnOrder: turnOrderOf(model),
    textParts: false,
    toolStrict: false,
    acceptsParallelToolCalls: false,
    refusedFields: ['user', 'service_tier', 'verbosity'],
    ...gptOssReasoning(model),
  }),
  prices: { litellm: ['nvidia_nim'] },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://docs.nvidia.com/nim/large-language-models/2.1.4/reference/api-reference.html',
      'https://build.nvidia.com (the models’ own pages)',
    ],
  },
}
