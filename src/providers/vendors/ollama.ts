import { defaultDialect } from '../../wire/dialect.ts'
import type { Provider } from '../provider.ts'

export const ollama: Provider = {
  id: 'ollama',
  formats: ['chat'],
  baseUrl: 'http://127.0.0.1:11434/v1',
  auth: 'bearer',
  needsKey: false,
  loadsModels: true,
  modelListPath: '/models',
  endpoints: { completions: () => true, embeddings: { maxInputs: 2_048, base64: false } },
  probe: { hostVariable: 'OLLAMA_HOST', defaultPort: 11434, path: '/api/version', basePath: '/v1' },
  // The server refuses a reasoning effort for models that cannot think. Their names do not show which can, so the
  // operator states it for each model. The server does not document `parallel_tool_calls`. It refuses addresses of
  // images.
  steeringFields: [],
  dialect: () => ({
    ...defaultDialect,
    mediaAddresses: [],
    reasoningReplay: 'reasoning',
    acceptsParallelToolCalls: false,
  }),
  prices: { isFree: true },
  sources: {
    seen: '2026-11-20',
    pages: ['https://docs.ollama.com/api/openai-compatibility (images)', 'https://docs.ollama.com/faq'],
  },
}
