import { plainDialect } from '../wire/dialect.ts'
import type { Provider } from './provider.ts'

export const openai: Provider = {
  id: 'openai',
  formats: ['chat'],
  baseUrl: 'https://api.openai.com/v1',
  environmentKey: 'OPENAI_API_KEY',
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  dialect(model) {
    // `max_tokens` is deprecated for every model and refused by the reasoning ones.
    const dialect = { ...plainDialect, maxTokensField: 'max_completion_tokens' } as const
    return isReasoningModel(model) ? { ...dialect, systemRole: 'developer', reasoning: 'effort' } : dialect
  },
  source:
    'https://platform.openai.com/docs/api-reference/chat/create and https://developers.openai.com/api/docs/guides/reasoning, seen 2026-11-20',
}

/** The o-series, and the gpt series from 5 on save its chat variants, which choose their effort themselves. */
function isReasoningModel(model: string): boolean {
  const name = model.replace(/^ft:/, '')
  if (/^o\d/.test(name)) return true
  const generation = /^gpt-(\d+)/.exec(name)?.[1]
  return generation !== undefined && Number(generation) >= 5 && !name.includes('-chat')
}
