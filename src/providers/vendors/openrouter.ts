import { defaultDialect } from '../../wire/dialect.ts'
import { turnOrderOf } from '../models/turn-order.ts'
import type { Provider } from '../provider.ts'

export const openrouter: Provider = {
  id: 'openrouter',
  formats: ['chat'],
  baseUrl: 'https://openrouter.ai/api/v1',
  environmentKey: 'OPENROUTER_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  // These fields select other models and providers, another price, paid searches or stored settings.
  steeringFields: ['models', 'route', 'provider', 'preset', 'plugins', 'transforms', 'fallbacks'],
  endpoints: { completions: () => true, embeddings: { maxInputs: 2_048, base64: true } },
  // The router itself removes fields that a model does not accept. Earlier reasoning goes back unchanged, with the
  // parts that each maker signed or encrypted.
  dialect: (model) => ({
    ...defaultDialect,
    turnOrder: turnOrderOf(model),
    cacheMarks: true,
    documents: 'file-or-url',
    reasoning: 'effort',
    reasoningReplay: 'reasoning_details',
    acceptsTopK: true,
  }),
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://openrouter.ai/docs/api-reference/overview',
      'https://openrouter.ai/docs/use-cases/reasoning-tokens',
      'https://openrouter.ai/docs/guides/routing',
    ],
  },
}
