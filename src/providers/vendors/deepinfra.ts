import { defaultDialect } from '../../wire/dialect.ts'
import type { Provider } from '../provider.ts'

export const deepinfra: Provider = {
  id: 'deepinfra',
  formats: ['chat'],
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  environmentKey: 'DEEPINFRA_TOKEN',
  otherEnvironmentKey: 'DEEPINFRA_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  // The limit of inputs per call and base64 vectors are undocumented, so few inputs are sent at a time, and vectors are
  // requested as numbers.
  endpoints: { completions: () => true, embeddings: { maxInputs: 128, base64: false } },
  // DeepInfra ignores fields that its list of parameters does not name. An effort has no effect on a model that does
  // not reason, and `none` turns reasoning off on a model that does.
  steeringFields: [],
  dialect: () => ({
    ...defaultDialect,
    refusedFields: ['seed', 'logprobs', 'top_logprobs', 'logit_bias', 'user', 'verbosity'],
    reasoning: 'effort',
    efforts: ['none', 'low', 'medium', 'high'],
  }),
  prices: { litellm: ['deepinfra'] },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://docs.deepinfra.com/chat/overview',
      'https://docs.deepinfra.com/chat/reasoning',
      'https://deepinfra.com/docs/openai_api',
    ],
  },
}
