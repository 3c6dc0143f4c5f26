import { defaultDialect } from '../../wire/dialect.ts'
import { messagesHeaders } from '../messages-headers.ts'
import { claudeDialect } from '../models/claude-dialect.ts'
import type { Provider } from '../provider.ts'
import { gatewaySteeringFields } from '../steering-fields.ts'

/** Any server of the messages format. The server may be a gateway itself. */
export const anthropicCompatible: Provider = {
  id: 'anthropic-compatible',
  formats: ['messages'],
  auth: 'x-api-key',
  needsKey: false,
  paths: { messages: '/v1/messages', 'count-tokens': '/v1/messages/count_tokens' },
  endpoints: { countsTokens: true },
  modelListPath: '/v1/models',
  ...messagesHeaders,
  steeringFields: [...gatewaySteeringFields, 'billing_policy'],
  dialect: (model) => ({ ...defaultDialect, cacheMarks: true, reasoning: 'effort', ...claudeDialect(model) }),
  sources: {
    seen: '2026-11-20',
    pages: ['https://platform.claude.com/docs/en/api/messages'],
  },
}
