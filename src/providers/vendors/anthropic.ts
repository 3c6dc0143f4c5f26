import { defaultDialect } from '../../wire/dialect.ts'
import { messagesHeaders } from '../messages-headers.ts'
import { claudeDialect } from '../models/claude-dialect.ts'
import type { Provider } from '../provider.ts'

export const anthropic: Provider = {
  id: 'anthropic',
  formats: ['messages'],
  baseUrl: 'https://api.anthropic.com',
  environmentKey: 'ANTHROPIC_API_KEY',
  baseUrlVariables: ['ANTHROPIC_BASE_URL'],
  // Anthropic's SDKs append the version. The AI SDK, which reads the same variable, does not.
  readBaseUrl: (written) => written.replace(/\/v1$/, ''),
  auth: 'x-api-key',
  needsKey: true,
  paths: { messages: '/v1/messages', 'count-tokens': '/v1/messages/count_tokens' },
  endpoints: { countsTokens: true, messageBatches: true },
  modelListPath: '/v1/models',
  modelListNeedsKey: true,
  ...messagesHeaders,
  // `fallbacks` lets other models answer. `billing_policy` bills another organization.
  steeringFields: ['fallbacks', 'billing_policy'],
  dialect: (model) => ({ ...defaultDialect, cacheMarks: true, reasoning: 'effort', ...claudeDialect(model) }),
  prices: {
    litellm: ['anthropic'],
    namesRegion: true,
    cachesMarkedOnly: () => true,
    // The price applies to all models (https://platform.claude.com/docs/en/about-claude/pricing, seen 2026-11-23).
    toolDollars: { web_search: 0.01 },
  },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://platform.claude.com/docs/en/api/messages',
      'https://platform.claude.com/docs/en/api/models-list',
      'https://platform.claude.com/docs/en/api/creating-message-batches',
      'https://platform.claude.com/docs/en/api/files-create',
      'https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback',
    ],
  },
}
