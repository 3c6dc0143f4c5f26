import type { ChannelFormatId, OperationId } from '../canonical/format.ts'
import type { Target } from '../catalog/catalog.ts'
import type { Channel } from '../catalog/channel.ts'
import type { Dialect } from '../wire/dialect.ts'
import type { Operation, RequestTerms } from '../wire/wire-format.ts'
import type { AuthorizerOptions } from './authorizer.ts'
import type { Provider, ProviderRegistry } from './provider.ts'
import { anthropic } from './vendors/anthropic.ts'
import { anthropicCompatible } from './vendors/anthropic-compatible.ts'
import { azureOpenai } from './vendors/azure-openai.ts'
import { bedrock } from './vendors/bedrock.ts'
import { cerebras } from './vendors/cerebras.ts'
import { cohere } from './vendors/cohere.ts'
import { deepinfra } from './vendors/deepinfra.ts'
import { deepseek } from './vendors/deepseek.ts'
import { demo } from './vendors/demo.ts'
import { fireworks } from './vendors/fireworks.ts'
import { gemini } from './vendors/gemini.ts'
import { groq } from './vendors/groq.ts'
import { huggingface } from './vendors/huggingface.ts'
import { jina } from './vendors/jina.ts'
import { llamacpp } from './vendors/llamacpp.ts'
import { lmstudio } from './vendors/lmstudio.ts'
import { minimax } from './vendors/minimax.ts'
import { mistral } from './vendors/mistral.ts'
import { moonshot } from './vendors/moonshot.ts'
import { nvidia } from './vendors/nvidia.ts'
import { ollama } from './vendors/ollama.ts'
import { openai } from './vendors/openai.ts'
import { openaiCompatible } from './vendors/openai-compatible.ts'
import { openrouter } from './vendors/openrouter.ts'
import { perplexity } from './vendors/perplexity.ts'
import { qwen } from './vendors/qwen.ts'
import { deepgram } from './vendors/sound/deepgram.ts'
import { elevenlabs } from './vendors/sound/elevenlabs.ts'
import { together } from './vendors/together.ts'
import { vertex } from './vendors/vertex.ts'
import { vllm } from './vendors/vllm.ts'
import { voyage } from './vendors/voyage.ts'
import { xai } from './vendors/xai.ts'
import { zai } from './vendors/zai.ts'

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
  jina,
  voyage,
  deepgram,
  elevenlabs,
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

/** Returns the registry with an authorizer for each provider that declares one. */
export function bindAuthorizers(registry: ProviderRegistry, options: AuthorizerOptions): ProviderRegistry {
  const bound = new Map<string, Provider>()
  for (const id of registry.ids) {
    const provider = registry.find(id)
    if (provider?.createAuthorizer === undefined) continue
    bound.set(id, { ...provider, authorizer: provider.createAuthorizer(options) })
  }
  return { ids: registry.ids, find: (id) => bound.get(id) ?? registry.find(id) }
}

export interface CallTarget {
  readonly channel: Channel
  readonly upstreamModel: string
  readonly isStream?: boolean
}

/** The path of an operation below the channel's base address, with the query of the format and the provider. */
export function pathOf(
  provider: Provider,
  operation: { readonly id: OperationId | ChannelFormatId; readonly path: Operation['path'] },
  { channel, upstreamModel, isStream = false }: CallTarget,
): string {
  const path = provider.paths?.[operation.id] ?? writePath(operation.path, { model: upstreamModel, isStream })
  return provider.pathOf?.({ operation: operation.id, path, upstreamModel, channel, isStream }) ?? path
}

function writePath(path: Operation['path'], terms: RequestTerms): string {
  return typeof path === 'string' ? path : path(terms)
}

interface Known {
  readonly provider: Provider
  readonly dialect: Dialect
}

/** The known facts by target, cached because every attempt needs them. */
const known = new WeakMap<Target, Known>()

/** The dialect of one model: the provider's declaration, overridden by the operator's settings. */
export function dialectOf(provider: Provider, target: Target): Dialect {
  const before = known.get(target)
  if (before?.provider === provider) return before.dialect
  const { upstreamModel, channel, capabilities } = target
  const dialect = {
    ...provider.dialect(upstreamModel, channel.format),
    // The operator's list replaces all refused fields.
    ...(capabilities.refusedFields !== undefined && { refusedWhileReasoning: [] }),
    ...capabilities,
  }
  known.set(target, { provider, dialect })
  return dialect
}
