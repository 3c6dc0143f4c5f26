import { mistralSpeech, mistralTranscriptions } from '../../wire/audio-channels/mistral.ts'
import { type Dialect, defaultDialect } from '../../wire/dialect.ts'
import { createOutputDimensionEmbeddings } from '../../wire/embeddings/values/output-dimension-embeddings.ts'
import type { Provider } from '../provider.ts'

export const mistral: Provider = {
  id: 'mistral',
  formats: ['chat'],
  baseUrl: 'https://api.mistral.ai/v1',
  environmentKey: 'MISTRAL_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  modelListNeedsKey: true,
  endpoints: {
    embeddings: {
      maxInputs: 128,
      base64: false,
      format: createOutputDimensionEmbeddings(new Set(['metadata', 'output_dimension', 'output_dtype'])),
    },
    transcriptions: mistralTranscriptions,
    speech: mistralSpeech,
    moderations: true,
  },
  // Mistral returns 422 for unknown fields, also within messages. It sends usage with every stream without a request
  // for it.
  steeringFields: [],
  dialect: (model) => ({
    ...defaultDialect,
    participantNames: false,
    turnOrder: 'reply-after-tools',
    documents: 'document_url',
    streamUsageOption: false,
    toolParameters: true,
    forcedToolWord: 'any',
    toolCallIds: 'nine-characters',
    seedField: 'random_seed',
    refusedFields: ['logprobs', 'top_logprobs', 'logit_bias', 'user', 'service_tier', 'verbosity'],
    ...reasoningOf(model),
  }),
  prices: { litellm: ['mistral'] },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://docs.rs/crate/mistral-openapi-client (Mistral’s own description of its API)',
      'https://docs.mistral.ai/inference/conversations/reasoning',
      'https://github.com/charmbracelet/crush/issues/1590 (fields refused in messages)',
      'https://github.com/mistralai/mistral-common, validator.py (the order of messages, seen 2026-11-30)',
      'https://github.com/BerriAI/litellm/issues/17761 (the user after a tool, seen 2026-11-30)',
      'https://github.com/nextcloud/integration_openai/issues/332 (the list needs a key)',
    ],
  },
}

function reasoningOf(model: string): Partial<Dialect> {
  const parts = { reasoningReplay: 'thinking_parts' } as const
  if (/^mistral-large-4/.test(model)) {
    return { ...parts, reasoning: 'effort', efforts: ['low', 'medium', 'high'] }
  }
  if (/^mistral-(small-(latest|2603)|medium-3-5)/.test(model)) {
    return { ...parts, reasoning: 'effort', efforts: ['none', 'high'] }
  }
  return model.startsWith('magistral') ? parts : {}
}
