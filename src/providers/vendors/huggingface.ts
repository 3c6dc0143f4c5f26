import { defaultDialect } from '../../wire/dialect.ts'
import { gptOssReasoning } from '../models/gpt-oss-reasoning.ts'
import type { Provider } from '../provider.ts'

/**
 * The router of Hugging Face. A suffix of the model's name chooses the serving provider (`:groq`, `:cheapest`), so the
 * operator chooses it. No field of the body does. All providers together support few fields.
 */
export const huggingface: Provider = {
  id: 'huggingface',
  formats: ['chat'],
  baseUrl: 'https://router.huggingface.co/v1',
  environmentKey: 'HF_TOKEN',
  // The token that downloads models is on many machines, and may not be allowed to call models.
  isKeyShared: true,
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  steeringFields: [],
  dialect: (model) => ({
    ...defaultDialect,
    textParts: false,
    participantNames: false,
    toolStrict: false,
    acceptsParallelToolCalls: false,
    refusedFields: ['n', 'logit_bias', 'user', 'service_tier', 'verbosity'],
    ...gptOssReasoning(model),
  }),
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://docs.openclaw.ai/providers/huggingface',
      'https://oumi.ai/docs (huggingface_inference_engine)',
      '@huggingface/tasks 0.19.22 (fields)',
    ],
  },
}
