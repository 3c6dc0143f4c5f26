import { type Dialect, defaultDialect } from '../../wire/dialect.ts'
import type { Provider } from '../provider.ts'

export const zai: Provider = {
  id: 'zai',
  formats: ['chat'],
  baseUrl: 'https://api.z.ai/api/paas/v4',
  environmentKey: 'ZAI_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  steeringFields: [],
  dialect: (model) => ({
    ...defaultDialect,
    textParts: false,
    participantNames: false,
    toolStrict: false,
    toolChoices: 'auto',
    acceptsParallelToolCalls: false,
    jsonSchema: false,
    refusedFields: [
      'presence_penalty',
      'frequency_penalty',
      'seed',
      'n',
      'logprobs',
      'top_logprobs',
      'logit_bias',
      'user',
      'service_tier',
      'verbosity',
    ],
    ...reasoningOf(model),
  }),
  prices: { litellm: ['zai'] },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://docs.z.ai/api-reference/llm/chat-completion',
      'https://docs.z.ai/guides/capabilities/thinking-mode',
      'https://java.agentscope.io/v2/en/integration/model/glm',
      'https://github.com/vectorize-io/hindsight/issues/4246 (choices of tools)',
    ],
  },
}

/**
 * Models from GLM-4.5 on have a switch, and from GLM-5.2 on also an effort. Reasoning goes back with the results of
 * tools.
 */
function reasoningOf(model: string): Partial<Dialect> {
  const [, major, minor = '0'] = /^glm-(\d+)(?:\.(\d+))?/.exec(model) ?? []
  const version = Number(major) * 100 + Number(minor)
  if (!(version >= 405)) return {}
  const acceptsEffort = version >= 502
  return {
    reasoning: 'thinking',
    efforts: acceptsEffort ? defaultDialect.efforts : [],
    reasoningReplay: 'reasoning_content',
  }
}
