import type { Effort } from '../../canonical/request.ts'
import { type Dialect, defaultDialect } from '../../wire/dialect.ts'
import { geminiSpeech, geminiTranscriptions } from '../../wire/gemini/audio/gemini-audio.ts'
import { geminiImages } from '../../wire/gemini/images/gemini-images.ts'
import { geminiDialect } from '../models/gemini-dialect.ts'
import { geminiLive } from '../models/gemini-live.ts'
import type { Provider } from '../provider.ts'
import { geminiSteeringFields } from '../steering-fields.ts'

/** Google AI Studio, in its own format and through its OpenAI-compatible endpoint. */
export const gemini: Provider = {
  id: 'gemini',
  formats: ['gemini', 'chat'],
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  environmentKey: 'GEMINI_API_KEY',
  otherEnvironmentKey: 'GOOGLE_API_KEY',
  baseUrlVariables: ['GOOGLE_GEMINI_BASE_URL', 'GEMINI_BASE_URL'],
  // Google's SDKs append the version.
  readBaseUrl: (written) => (/\/v1(?:beta|alpha)?$/.test(written) ? written : `${written}/v1beta`),
  auth: 'x-goog-api-key',
  // With the own format, a key in this header together with a token is refused. The compatible endpoint documents the
  // token.
  authByFormat: { chat: 'bearer' },
  needsKey: true,
  pathOf: ({ path, channel }) => (channel.format === 'chat' ? `/openai${path}` : path),
  modelListPath: '/models?pageSize=1000',
  modelListPathByFormat: { chat: '/openai/models' },
  modelListNeedsKey: true,
  steeringFields: geminiSteeringFields,
  endpoints: {
    embeddings: { maxInputs: 100, base64: false },
    images: geminiImages,
    transcriptions: geminiTranscriptions,
    speech: geminiSpeech,
    countsTokens: true,
    geminiFiles: true,
    geminiLive,
  },
  dialect: (model, format) => ({
    ...defaultDialect,
    ...geminiDialect(model),
    ...(format === 'gemini' ? {} : compatibleDialect(model)),
  }),
  prices: {
    litellm: ['gemini'],
    namesOf: (model) => [model.replace(/^models\//, '')],
    // The third generation of models bills each query (https://ai.google.dev/gemini-api/docs/pricing, seen 2026-11-23).
    searchesByAnswer: () => true,
  },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://ai.google.dev/api/generate-content',
      'https://ai.google.dev/api/embeddings',
      'https://ai.google.dev/api/models',
      'https://ai.google.dev/api/tokens',
      'https://ai.google.dev/api/files',
      'https://ai.google.dev/api/caching',
      'https://ai.google.dev/api/live',
      'https://ai.google.dev/gemini-api/docs/openai',
      'https://ai.google.dev/gemini-api/docs/api-key',
      'https://github.com/davidmigloz/langchain_dart/issues/726',
      'https://github.com/Vali-98/ChatterUI/issues/227 (fields that the compatible endpoint refuses)',
    ],
  },
}

/** The dialect of the compatible endpoint, which refuses a request with any unknown field. */
function compatibleDialect(model: string): Partial<Dialect> {
  const modelDialect = geminiDialect(model)?.geminiModel
  const thinks = modelDialect !== undefined && modelDialect.thinking !== 'none'
  const words: readonly Effort[] = ['low', 'medium', 'high']
  return {
    participantNames: false,
    acceptsParallelToolCalls: false,
    reasoning: thinks ? 'effort' : 'none',
    efforts: modelDialect?.canDisableThinking ? ['none', ...words] : words,
    refusedFields: [
      'presence_penalty',
      'frequency_penalty',
      'seed',
      'logprobs',
      'top_logprobs',
      'logit_bias',
      'user',
      'service_tier',
      'verbosity',
    ],
  }
}
