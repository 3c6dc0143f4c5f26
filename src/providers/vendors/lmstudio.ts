import { defaultDialect } from '../../wire/dialect.ts'
import type { Provider } from '../provider.ts'

export const lmstudio: Provider = {
  id: 'lmstudio',
  formats: ['chat'],
  baseUrl: 'http://127.0.0.1:1234/v1',
  auth: 'bearer',
  needsKey: false,
  loadsModels: true,
  modelListPath: '/models',
  probe: { defaultPort: 1234, path: '/v1/models', basePath: '/v1' },
  // The field loads another model besides the requested one.
  steeringFields: ['draft_model'],
  endpoints: { completions: () => true, embeddings: { maxInputs: 2_048, base64: false } },
  dialect: () => ({
    ...defaultDialect,
    mediaAddresses: [],
    toolChoices: 'words',
    acceptsParallelToolCalls: false,
    jsonObject: false,
    acceptsTopK: true,
    refusedFields: ['n', 'logprobs', 'top_logprobs', 'user', 'service_tier', 'verbosity'],
  }),
  prices: { isFree: true },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://lmstudio.ai/docs/api/openai-api',
      'https://lmstudio.ai/docs/developer/api-changelog',
      'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/670 (choices of tools)',
      'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1120 (images only as bytes)',
    ],
  },
}
