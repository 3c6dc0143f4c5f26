import { type Dialect, defaultDialect } from '../../wire/dialect.ts'
import type { Provider } from '../provider.ts'

export const moonshot: Provider = {
  id: 'moonshot',
  formats: ['chat'],
  baseUrl: 'https://api.moonshot.ai/v1',
  environmentKey: 'MOONSHOT_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  steeringFields: [],
  dialect: (model) => ({
    ...defaultDialect,
    maxTokensField: 'max_completion_tokens',
    toolStrict: false,
    acceptsParallelToolCalls: false,
    ...(model.startsWith('kimi-') ? kimiDialect(model) : { jsonSchema: false, refusedFields: unknown }),
  }),
  prices: { litellm: ['moonshot'] },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model',
      'https://java.agentscope.io/v2/en/integration/model/kimi',
      'https://github.com/mnfst/modelparams.dev/pull/168',
      'https://github.com/UKGovernmentBEIS/inspect_ai/pull/5152 (choices of tools)',
      'https://github.com/theopenco/llmgateway/pull/2093 (reasoning must not be empty)',
    ],
  },
}

const unknown = ['seed', 'logit_bias', 'user', 'service_tier', 'verbosity'] as const

/** The models that think. Tool calls must carry reasoning, and an empty text is refused. Sampling is fixed. */
function kimiDialect(model: string): Partial<Dialect> {
  return {
    reasoningReplay: 'reasoning_content',
    missingReasoning: ' ',
    refusedFields: [...unknown, 'temperature', 'top_p', 'n', 'presence_penalty', 'frequency_penalty'],
    ...reasoningOf(model),
  }
}

/** K3 always thinks and accepts an effort. K2.5 and K2.6 have a switch. The coding models have neither. */
function reasoningOf(model: string): Partial<Dialect> {
  if (/^kimi-k[3-9]/.test(model)) {
    return { reasoning: 'effort', efforts: ['low', 'high', 'max'], toolChoices: 'words' }
  }
  const toolChoices = 'unforced-thinking'
  return /^kimi-k2\.[56]/.test(model) ? { reasoning: 'thinking', efforts: [], toolChoices } : { toolChoices }
}
