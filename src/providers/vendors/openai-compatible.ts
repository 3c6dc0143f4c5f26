import { defaultDialect } from '../../wire/dialect.ts'
import { jinaRerank } from '../../wire/rerank/channels/jina-rerank.ts'
import { openaiRealtime } from '../models/openai-realtime.ts'
import { turnOrderOf } from '../models/turn-order.ts'
import type { Provider } from '../provider.ts'
import { gatewaySteeringFields } from '../steering-fields.ts'

/** Any server of OpenAI's formats. The server may be a gateway itself. */
export const openaiCompatible: Provider = {
  id: 'openai-compatible',
  formats: ['chat', 'responses'],
  auth: 'bearer',
  needsKey: false,
  modelListPath: '/models',
  endpoints: {
    completions: () => true,
    embeddings: { maxInputs: 2_048, base64: true },
    rerank: jinaRerank,
    images: 'as-is',
    transcriptions: 'as-is',
    translations: 'as-is-whole',
    speech: 'as-is',
    moderations: true,
    realtime: openaiRealtime,
  },
  steeringFields: gatewaySteeringFields,
  dialect: (model) => ({ ...defaultDialect, turnOrder: turnOrderOf(model) }),
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://platform.openai.com/docs/api-reference/chat/create',
      'https://platform.openai.com/docs/api-reference/responses/create',
    ],
  },
}
