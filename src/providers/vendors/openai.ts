import type { Channel } from '../../catalog/channel.ts'
import { defaultDialect, type RefusableField } from '../../wire/dialect.ts'
import { openaiOutputCap } from '../models/openai-output-cap.ts'
import { openaiRealtime } from '../models/openai-realtime.ts'
import { openaiReasoning } from '../models/openai-reasoning.ts'
import { openaiToolDollars } from '../models/openai-tool-dollars.ts'
import type { Provider } from '../provider.ts'

export const openai: Provider = {
  id: 'openai',
  formats: ['chat', 'responses'],
  baseUrl: 'https://api.openai.com/v1',
  environmentKey: 'OPENAI_API_KEY',
  baseUrlVariables: ['OPENAI_BASE_URL'],
  auth: 'bearer',
  needsKey: true,
  modelListPath: '/models',
  modelListNeedsKey: true,
  endpoints: {
    completions: isPromptModel,
    embeddings: { maxInputs: 2_048, base64: true },
    images: 'as-is',
    transcriptions: 'as-is',
    translations: 'as-is-whole',
    speech: 'as-is',
    moderations: true,
    batches: {},
    realtime: openaiRealtime,
  },
  steeringFields: [],
  dialect(model) {
    const name = openaiModelName(model)
    // `max_tokens` is deprecated for every model, and reasoning models refuse it.
    const customTools = acceptsCustomTools(name)
    const maxOutputTokens = openaiOutputCap(name)
    const refusedFields: readonly RefusableField[] = refusesVerbosity(name) ? ['verbosity'] : []
    const dialect = {
      ...defaultDialect,
      customTools,
      allowedTools: true,
      refusalParts: true,
      refusedFields,
      maxTokensField: 'max_completion_tokens',
      maxStopSequences: 4,
      sharedFields,
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    } as const
    if (!isReasoningModel(name)) return dialect
    const reasoningWithTools = allowsToolsOnlyWithoutReasoning(name) ? 'none' : 'effort'
    const reasoning = openaiReasoning(name)
    return {
      ...dialect,
      ...reasoning,
      refusedFields: [...refusedFields, ...reasoning.refusedFields],
      systemRole: 'developer',
      reasoning: 'effort',
      reasoningWithTools,
    }
  },
  prices: {
    // https://platform.openai.com/docs/guides/moderation, seen 2026-11-24
    freeModels: /^(?:omni|text)-moderation-/,
    toolDollars: openaiToolDollars,
    litellm: ['openai', 'text-completion-openai'],
    namesOf: (model) => [fineTunedBase(model)],
    regionOf,
  },
  sources: {
    seen: '2026-11-20',
    pages: [
      'https://platform.openai.com/docs/api-reference/chat/create',
      'https://platform.openai.com/docs/api-reference/responses/create',
      'https://platform.openai.com/docs/api-reference/completions/create',
      'https://platform.openai.com/docs/api-reference/embeddings/create',
      'https://platform.openai.com/docs/api-reference/moderations/create',
      'https://platform.openai.com/docs/api-reference/batch/create',
      'https://platform.openai.com/docs/api-reference/models/list',
      'https://developers.openai.com/api/docs/guides/reasoning',
    ],
  },
}

/** `metadata` is not among them: chat completions refuses it without `store`. */
const sharedFields = [
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
]

/** Whether a model completes plain prompts. The service refuses prompts for all other models, which are chat models. */
function isPromptModel(model: string): boolean {
  return /^(?:gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/.test(openaiModelName(model))
}

/**
 * Whether the model refuses tools together with a reasoning effort. gpt-5.4 and later do so in chat completions, and
 * later ones even where no effort is named (github.com/pipecat-ai/pipecat/issues/4043,
 * github.com/openai/openai-openapi/issues/541, seen 2026-11-20).
 */
function allowsToolsOnlyWithoutReasoning(name: string): boolean {
  const [, major, minor] = /^gpt-(\d+)\.(\d+)/.exec(name) ?? []
  return Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 4)
}

/**
 * Whether the model accepts free-text tools, which gpt-5 introduced
 * (developers.openai.com/api/docs/guides/function-calling, seen 2026-11-20).
 */
function acceptsCustomTools(name: string): boolean {
  return Number(/^gpt-(\d+)/.exec(name)?.[1]) >= 5
}

/**
 * Whether the model accepts no other verbosity than the usual one. gpt-5 introduced the others, except in its first
 * chat variant (github.com/enricoros/big-AGI/issues/947 and 930, seen 2026-11-30).
 */
function refusesVerbosity(name: string): boolean {
  return /^(?:gpt-[34]|chatgpt-|o\d|gpt-5-chat)/.test(name)
}

/**
 * Whether the model reasons: the o-series, and the gpt series from 5 on except its chat variants, which choose their
 * effort themselves.
 */
function isReasoningModel(name: string): boolean {
  if (/^o\d/.test(name)) return true
  const generation = /^gpt-(\d+)/.exec(name)?.[1]
  return generation !== undefined && Number(generation) >= 5 && !name.includes('-chat')
}

/**
 * A model's name as OpenAI lists it, without the mark of a fine-tuned model, and with Azure's `gpt-35` as `gpt-3.5`.
 */
function openaiModelName(model: string): string {
  return model.replace(/^ft:/, '').replace(/^gpt-35(?=-|$)/, 'gpt-3.5')
}

/**
 * The price name of a fine-tuned model, `ft:gpt-4o-2024-08-06:acme::id`. It costs as much as its base does when
 * fine-tuned.
 */
function fineTunedBase(model: string): string {
  return model.replace(/^(ft:[^:]+):.*$/, '$1')
}

/**
 * The region of a regional host, which processes there at a surcharge (`regional_processing_uplift_multiplier_eu` of
 * LiteLLM, seen 2026-11-23).
 */
function regionOf({ baseUrl }: Channel): string | undefined {
  return /^https:\/\/(us|eu)\.api\.openai\.com(?:\/|$)/.exec(baseUrl)?.[1]
}
