import { defaultDialect } from '../../wire/dialect.ts'
import { jinaRerank } from '../../wire/rerank/channels/jina-rerank.ts'
import type { Provider } from '../provider.ts'

/**
 * The server of llama.cpp. It has no default address here and is not discovered. It listens on port 8080, like
 * Headgate, so a guess could point Headgate to another Headgate, or to itself.
 */
export const llamacpp: Provider = {
  id: 'llamacpp',
  formats: ['chat'],
  auth: 'bearer',
  needsKey: false,
  loadsModels: true,
  modelListPath: '/models',
  endpoints: {
    completions: () => true,
    embeddings: { maxInputs: 2_048, base64: true },
    rerank: jinaRerank,
  },
  steeringFields: [],
  dialect: () => ({
    ...defaultDialect,
    toolParameters: true,
    reasoning: 'effort',
    reasoningReplay: 'reasoning_content',
    acceptsTopK: true,
    refusedFields: ['user', 'service_tier', 'verbosity'],
  }),
  prices: { isFree: true },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
      'https://github.com/art-from-the-machine/Mantella/issues/625 (functions without a schema, seen 2026-11-30)',
    ],
  },
}
