import { defaultDialect } from '../../wire/dialect.ts'
import { jinaRerank } from '../../wire/rerank/channels/jina-rerank.ts'
import { turnOrderOf } from '../models/turn-order.ts'
import type { Provider } from '../provider.ts'
import { gatewaySteeringFields } from '../steering-fields.ts'

export const vllm: Provider = {
  id: 'vllm',
  formats: ['chat'],
  auth: 'bearer',
  needsKey: false,
  modelListPath: '/models',
  endpoints: {
    completions: () => true,
    embeddings: { maxInputs: 2_048, base64: true },
    rerank: jinaRerank,
  },
  // The server itself ignores these fields. A router in front of several servers may obey them.
  steeringFields: gatewaySteeringFields,
  // Earlier reasoning is accepted as `reasoning`, the new name of `reasoning_content`.
  dialect: (model) => ({ ...defaultDialect, turnOrder: turnOrderOf(model), reasoningReplay: 'reasoning' }),
  prices: { isFree: true },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
      'https://docs.vllm.ai/en/v0.26.0/features/reasoning_outputs/',
    ],
  },
}
