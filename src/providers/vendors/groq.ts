import { type Dialect, defaultDialect } from '../../wire/dialect.ts'
import type { Provider } from '../provider.ts'

export const groq: Provider = {
  id: 'groq',
  formats: ['chat'],
  baseUrl: 'https://api.groq.com/openai/v1',
  environmentKey: 'GROQ_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  modelListNeedsKey: true,
  endpoints: { transcriptions: 'as-is-whole', translations: 'as-is-whole', speech: 'as-is' },
  // The field names the models behind a compound model.
  steeringFields: ['compound_custom'],
  dialect: (model) => ({
    ...defaultDialect,
    maxTokensField: 'max_completion_tokens',
    participantNames: false,
    // Groq also refuses unknown fields.
    refusedFields: ['n', 'logprobs', 'top_logprobs', 'logit_bias', 'service_tier', 'verbosity'],
    jsonSchema: /gpt-oss|kimi-k2|llama-4/.test(model),
    ...reasoningOf(model),
  }),
  // A recording is billed for 10 seconds or more (https://github.com/pydantic/genai-prices/pull/578, seen 2026-11-30).
  prices: { litellm: ['groq'], minSeconds: 10 },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://console.groq.com/docs/openai',
      'https://console.groq.com/docs/speech-to-text',
      'https://console.groq.com/docs/text-to-speech',
      'https://console.groq.com/docs/api-reference',
      'https://console.groq.com/docs/reasoning',
      'https://github.com/vercel/ai/pull/8057 (reasoning sent back)',
      'https://github.com/Haseebasif7/SurfAgent/issues/2 (the list needs a key)',
    ],
  },
}

/** Qwen's reasoning can only be turned off. Other models refuse every reasoning field, also in earlier turns. */
function reasoningOf(model: string): Partial<Dialect> {
  if (model.includes('gpt-oss')) {
    return { reasoning: 'effort', efforts: ['low', 'medium', 'high'], reasoningReplay: 'reasoning' }
  }
  return model.includes('qwen3') ? { reasoning: 'effort', efforts: ['none'] } : {}
}
