import { anthropic } from './anthropic.ts'
import { anthropicCompatible } from './anthropic-compatible.ts'
import { demo } from './demo.ts'
import { ollama } from './ollama.ts'
import { openai } from './openai.ts'
import { openaiCompatible } from './openai-compatible.ts'
import type { Provider, ProviderRegistry } from './provider.ts'
import { vllm } from './vllm.ts'

export const providers = {
  openai,
  anthropic,
  'openai-compatible': openaiCompatible,
  'anthropic-compatible': anthropicCompatible,
  ollama,
  vllm,
  demo,
} satisfies Record<string, Provider>

export type ProviderId = keyof typeof providers

const byId: ReadonlyMap<string, Provider> = new Map(Object.entries(providers))

export const providerRegistry: ProviderRegistry = {
  find: (id) => byId.get(id),
  ids: [...byId.keys()],
}
