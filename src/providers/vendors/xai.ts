import { type Dialect, defaultDialect } from '../../wire/dialect.ts'
import type { Provider } from '../provider.ts'

export const xai: Provider = {
  id: 'xai',
  formats: ['chat'],
  baseUrl: 'https://api.x.ai/v1',
  environmentKey: 'XAI_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  steeringFields: [],
  dialect: (model) => ({
    ...defaultDialect,
    maxTokensField: 'max_completion_tokens',
    refusedFields: model.includes('non-reasoning') ? refused : [...refused, 'stop'],
    reasoningReplay: 'reasoning_content',
    ...effortsOf(model),
  }),
  // LiteLLM's cost calculator has this rule (`_INCLUSIVE_THRESHOLD_PROVIDERS`, 1.109.1, seen 2026-11-23).
  prices: { litellm: ['xai'], hasInclusiveThresholds: true },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://docs.x.ai/guides/reasoning',
      'https://github.com/anomalyco/opencode/issues/39448',
      'https://github.com/vercel/ai releases @ai-sdk/xai 3.0.97',
      'https://github.com/lobehub/lobehub/issues/13332 (penalties refused by every model)',
    ],
  },
}

const refused = ['presence_penalty', 'frequency_penalty', 'logit_bias', 'service_tier', 'verbosity'] as const

/** The efforts of a model. A model without efforts refuses the field. */
function effortsOf(model: string): Partial<Dialect> {
  if (model.startsWith('grok-3-mini')) return { reasoning: 'effort', efforts: ['low', 'high'] }
  const [, major, minor] = /^grok-(\d+)\.(\d+)(?!\d)(?!.*reasoning)/.exec(model) ?? []
  const version = Number(`${major}.${minor}`)
  if (version === 4.3) return { reasoning: 'effort', efforts: ['none', 'low', 'medium', 'high'] }
  if (version === 4.5) return { reasoning: 'effort', efforts: ['low', 'medium', 'high'] }
  const isLater = Number(major) > 4 || (Number(major) === 4 && Number(minor) > 5 && Number(minor) < 10)
  return isLater ? { reasoning: 'effort', efforts: ['low', 'medium', 'high', 'xhigh'] } : {}
}
