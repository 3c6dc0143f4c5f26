import type { ChannelFormatId } from '../../canonical/format.ts'
import { type Dialect, defaultDialect } from '../../wire/dialect.ts'
import { cohereRerank } from '../../wire/rerank/channels/cohere-rerank.ts'
import type { Provider } from '../provider.ts'

export const cohere: Provider = {
  id: 'cohere',
  formats: ['cohere', 'chat'],
  baseUrl: 'https://api.cohere.com',
  environmentKey: 'CO_API_KEY',
  auth: 'bearer',
  needsKey: true,
  // The model is in the body, so its name need not fit into a path.
  modelNames: /^[\x21-\x7e]{1,256}$/,
  pathOf: ({ operation, path, channel }) =>
    channel.format === 'chat' && operation !== 'rerank' ? `/compatibility/v1${path}` : path,
  modelListPath: '/v1/models?page_size=1000',
  endpoints: {
    embeddings: { maxInputs: 96, base64: true },
    rerank: cohereRerank,
    billsSearchUnits: true,
  },
  // Cohere returns 422 for unknown fields, also within tools.
  steeringFields: [],
  dialect: (model, format) => ({
    ...defaultDialect,
    participantNames: false,
    documents: 'file',
    toolStrict: false,
    acceptsParallelToolCalls: false,
    streamUsageOption: false,
    refusedFields: ['n', 'logprobs', 'top_logprobs', 'logit_bias', 'user', 'service_tier', 'verbosity'],
    ...choicesOf(model, format),
    ...reasoningOf(model),
  }),
  prices: { litellm: ['cohere_chat', 'cohere'], litellmPrefix: 'cohere' },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://docs.cohere.com/reference/chat',
      'https://docs.cohere.com/docs/compatibility-api',
      'https://docs.cohere.com/docs/reasoning',
      'https://docs.cohere.com/docs/structured-outputs',
      'https://github.com/SillyTavern/SillyTavern/issues/2916 (the user speaks last, seen 2026-11-30)',
      'https://docs.cohere.com/reference/embed',
      'https://docs.cohere.com/reference/rerank',
      'https://github.com/OpenRouterTeam/openrouter-examples/issues/71 (fields refused in tools)',
    ],
  },
}

/** The tool choices. Command R, Command R+ and the compatible endpoint support none. */
function choicesOf(model: string, format: ChannelFormatId | undefined): Partial<Dialect> {
  const isFirst = /^command-r(-plus)?(-0\d-2024)?$/.test(model)
  return { toolChoices: isFirst || format === 'chat' ? 'auto' : 'words' }
}

/** The models that think, which can be switched on and off. The compatible endpoint has two values for the switch. */
function reasoningOf(model: string): Partial<Dialect> {
  return /reasoning|^command-a-plus/.test(model) ? { reasoning: 'effort', efforts: ['none', 'high'] } : {}
}
