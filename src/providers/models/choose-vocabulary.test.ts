import { expect, it } from 'vitest'
import { vocabularies } from '../../canonical/input-size/token-vocabulary.ts'
import { chooseVocabulary } from './choose-vocabulary.ts'

it.each([
  ['claude-3-5-haiku-20241022', 'olderClaude'],
  ['claude-sonnet-4-20250514', 'olderClaude'],
  ['claude-sonnet-4-0', 'olderClaude'],
  ['anthropic/claude-opus-4.1', 'olderClaude'],
  ['claude-sonnet-4-5-20250929', 'claude'],
  ['claude-haiku-4-5', 'claude'],
  ['claude-opus-4-8', 'newerClaude'],
  ['claude-sonnet-5', 'newerClaude'],
  ['anthropic/claude-opus-4.7', 'newerClaude'],
  ['gpt-4o-mini', 'gpt'],
  ['o4-mini', 'gpt'],
  ['mistral-large-latest', 'gpt'],
  ['openai/gpt-5-nano', 'reasoningGpt'],
  ['openai/gpt-oss-120b', 'gptOss'],
  ['Qwen3-8B', 'open'],
] as const)('the tokens of %s are estimated with the vocabulary of %s', (model, family) => {
  expect(chooseVocabulary(model)).toBe(vocabularies[family])
})
