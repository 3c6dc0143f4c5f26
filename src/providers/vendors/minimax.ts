import { defaultDialect } from '../../wire/dialect.ts'
import type { Provider } from '../provider.ts'

export const minimax: Provider = {
  id: 'minimax',
  formats: ['chat'],
  baseUrl: 'https://api.minimax.io/v1',
  environmentKey: 'MINIMAX_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  modelListNeedsKey: true,
  // Reasoning is inside the answer's text unless it is requested separately. It goes back whole. M2 always thinks.
  steeringFields: [],
  dialect: (model) => ({
    ...defaultDialect,
    maxTokensField: 'max_completion_tokens',
    textParts: false,
    participantNames: false,
    reasoning: /^minimax-m[3-9]/i.test(model) ? 'adaptive_thinking' : 'none',
    efforts: [],
    reasoningReplay: 'reasoning_details',
    toolStrict: false,
    toolChoices: 'auto',
    acceptsParallelToolCalls: false,
    jsonObject: false,
    jsonSchema: false,
    fixedFields: { reasoning_split: true },
    refusedFields: [
      'presence_penalty',
      'frequency_penalty',
      'seed',
      'stop',
      'n',
      'logprobs',
      'top_logprobs',
      'logit_bias',
      'user',
      'service_tier',
      'verbosity',
    ],
  }),
  prices: { litellm: ['minimax'] },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://platform.minimax.io/docs/api-reference/text-openai-api',
      'https://platform.minimax.io/docs/api-reference/models/openai/list-models',
      'https://java.agentscope.io/v2/en/integration/model/minimax',
    ],
  },
}
