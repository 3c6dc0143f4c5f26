import { anthropic } from './anthropic.ts'
import { anthropicCompatible } from './anthropic-compatible.ts'
import { azureOpenai } from './azure-openai.ts'
import { bedrock } from './bedrock.ts'
import { cerebras } from './cerebras.ts'
import { cohere } from './cohere.ts'
import { deepinfra } from './deepinfra.ts'
import { deepseek } from './deepseek.ts'
import { demo } from './demo.ts'
import { fireworks } from './fireworks.ts'
import { gemini } from './gemini.ts'
import { groq } from './groq.ts'
import { huggingface } from './huggingface.ts'
import { llamacpp } from './llamacpp.ts'
import { lmstudio } from './lmstudio.ts'
import { minimax } from './minimax.ts'
import { mistral } from './mistral.ts'
import { moonshot } from './moonshot.ts'
import { nvidia } from './nvidia.ts'
import { ollama } from './ollama.ts'
import { openai } from './openai.ts'
import { openaiCompatible } from './openai-compatible.ts'
import { openrouter } from './openrouter.ts'
import { perplexity } from './perplexity.ts'
import type { Provider, ProviderRegistry } from './provider.ts'
import { qwen } from './qwen.ts'
import { together } from './together.ts'
import { vertex } from './vertex.ts'
import { vllm } from './vllm.ts'
import { xai } from './xai.ts'
import { zai } from './zai.ts'

export const providers = {
  openai,
  anthropic,
  'azure-openai': azureOpenai,
  bedrock,
  mistral,
  groq,
  deepseek,
  xai,
  openrouter,
  together,
  fireworks,
  deepinfra,
  cerebras,
  perplexity,
  moonshot,
  zai,
  qwen,
  minimax,
  nvidia,
  huggingface,
  cohere,
  vertex,
  gemini,
  'openai-compatible': openaiCompatible,
  'anthropic-compatible': anthropicCompatible,
  ollama,
  vllm,
  lmstudio,
  llamacpp,
  demo,
} satisfies Record<string, Provider>

export type ProviderId = keyof typeof providers

const byId: ReadonlyMap<string, Provider> = new Map(Object.entries(providers))

export const providerRegistry: ProviderRegistry = {
  find: (id) => byId.get(id),
  ids: [...byId.keys()],
}
