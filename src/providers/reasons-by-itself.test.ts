import { expect, it } from 'vitest'
import { createCandidate } from '../../test/support/create-candidate.ts'
import type { Capabilities } from '../catalog/capabilities.ts'
import { reasonsByItself } from './reasons-by-itself.ts'
import { providerRegistry } from './registry.ts'

function reasons(model: string, capabilities: Capabilities = {}, id = 'openai-compatible'): boolean {
  const provider = providerRegistry.find(id)
  if (provider === undefined) throw new Error(`there is no provider ${id}`)
  return reasonsByItself(provider, createCandidate({ model, capabilities }).target)
}

it.each([
  'o1',
  'o3-mini',
  'openai/o4-mini',
  'gpt-5',
  'gpt-5-mini-2025-08-07',
  'openai/gpt-5-nano',
  'gpt-oss-120b',
  'claude-opus-5',
  'us.anthropic.claude-sonnet-5-5',
  'claude-3-7-sonnet-thinking',
  'gemini-2.5-pro',
  'google/gemini-2.5-flash',
  'models/gemini-3-pro-preview',
  'gemini-3.1-flash-lite',
  'deepseek-reasoner',
  'deepseek-ai/DeepSeek-R1',
  'deepseek-r1-distill-llama-70b',
  'deepseek-v4',
  'qwq-32b',
  'Qwen/Qwen3-32B',
  'qwen3-235b-a22b-thinking-2507',
  'qwen3.5-plus',
  'grok-3-mini',
  'grok-4',
  'x-ai/grok-4-fast-reasoning',
  'grok-code-fast-1',
  'glm-4.5',
  'z-ai/glm-4.6',
  'glm-5',
  'magistral-medium-latest',
  'kimi-k2-thinking',
  'kimi-k2.5',
  'MiniMax-M2',
  'sonar-reasoning-pro',
  'sonar-deep-research',
  'o3-deep-research',
  'my-thinking-model',
])('%s reasons by default', (model) => {
  expect(reasons(model)).toBe(true)
})

it.each([
  'gpt-4o',
  'gpt-4.1-mini',
  'gpt-5-chat-latest',
  'gpt-5.1',
  'openai/gpt-5.2',
  'gpt-3.5-turbo',
  'main',
  'claude-3-5-sonnet-20241022',
  'anthropic/claude-sonnet-4.5',
  'claude-opus-4-1',
  'gemini-2.0-flash',
  'gemini-2.5-flash-lite',
  'gemini-2.5-flash-image',
  'deepseek-chat',
  'deepseek-v3',
  'qwen3-30b-a3b-instruct-2507',
  'qwen2.5-72b-instruct',
  'qwen-max',
  'grok-3',
  'grok-4-fast-non-reasoning',
  'glm-4-plus',
  'kimi-k2-0905-preview',
  'mistral-large-latest',
  'llama-3.3-70b-versatile',
  'gemma-3-27b-it',
  'command-r-plus',
  'phi-4',
  'text-embedding-3-small',
])('%s is not known to reason by default', (model) => {
  expect(reasons(model)).toBe(false)
})

it('the setting of the operator overrides the name', () => {
  expect(reasons('o3', { reasons: false })).toBe(false)
  expect(reasons('my-deployment', { reasons: true })).toBe(true)
  expect(reasons('my-deployment', { reasoning: 'effort' })).toBe(true)
  expect(reasons('my-deployment', { reasoning: 'none' })).toBe(false)
})

it('the dialect of a provider that knows the model overrides the name', () => {
  expect(reasons('gpt-5.1', {}, 'openai')).toBe(false)
  expect(reasons('gpt-5.5', {}, 'openai')).toBe(true)
  expect(reasons('claude-sonnet-4-5', {}, 'anthropic')).toBe(false)
})
