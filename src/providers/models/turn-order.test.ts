import { expect, it } from 'vitest'
import { providerRegistry } from '../registry.ts'

it.each([
  ['openrouter', 'mistralai/devstral-2512', 'reply-after-tools'],
  ['nvidia', 'mistralai/mistral-small-4-119b-2603', 'reply-after-tools'],
  ['vllm', 'mistralai/Mistral-Small-4-119B-2603-NVFP4', 'reply-after-tools'],
  ['openai-compatible', 'mistralai/Devstral-Small-2-24B-Instruct-2512', 'reply-after-tools'],
  ['openrouter', 'openai/gpt-5', 'any'],
] as const)('%s serves %s with the order of turns of its maker', (provider, model, order) => {
  expect(providerRegistry.find(provider)?.dialect(model, 'chat').turnOrder).toBe(order)
})
