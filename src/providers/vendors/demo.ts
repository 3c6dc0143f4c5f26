import { defaultDialect } from '../../wire/dialect.ts'
import { jinaRerank } from '../../wire/rerank/channels/jina-rerank.ts'
import { geminiLive } from '../models/gemini-live.ts'
import { openaiRealtime } from '../models/openai-realtime.ts'
import type { Provider } from '../provider.ts'

/** The simulator that comes with Headgate, so that a newcomer gets an answer before having any provider's key. */
export const demo: Provider = {
  id: 'demo',
  formats: ['chat'],
  isBuiltIn: true,
  auth: 'bearer',
  needsKey: false,
  models: ['demo-chat', 'demo-embed'],
  endpoints: {
    embeddings: { maxInputs: 2_048, base64: true },
    rerank: jinaRerank,
    images: 'as-is',
    transcriptions: 'as-is',
    translations: 'as-is-whole',
    speech: 'as-is',
    moderations: true,
    realtime: openaiRealtime,
    geminiLive,
  },
  steeringFields: [],
  dialect: () => defaultDialect,
  prices: { isFree: true },
  sources: {
    seen: '2026-11-20',
    pages: ['src/simulator'],
  },
}
