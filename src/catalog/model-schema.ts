import { z } from 'zod'
import { mediaKinds } from '../canonical/media.ts'
import { efforts } from '../canonical/request.ts'
import { withFormat } from '../kit/schema/input-fact.ts'
import {
  type Capabilities,
  reasoningKinds,
  refusableFields,
  replayFields,
  toolChoiceKinds,
} from './capabilities.ts'
import { type ModelEntry, readTargetName, type TargetName } from './model-entry.ts'
import { priceSchema } from './prices/price-schema.ts'
import { readPriceHistory } from './prices/read-price-history.ts'
import { publicNameSchema } from './public-name-schema.ts'
import { strategies } from './strategy.ts'

const targetNameSchema = z
  .string({ error: 'must be a target, such as "primary/gpt-4o"' })
  .refine((text) => readTargetName(text) !== undefined, {
    error: withFormat(
      'must be a channel and a model with a slash between, such as "primary/gpt-4o"',
      'target',
    ),
  })

const weightError = 'must be a number above 0, such as 9'

/** A name, or a name with its share. */
const targetSchema = z.union(
  [
    targetNameSchema,
    z.strictObject({
      use: targetNameSchema,
      weight: z.number({ error: weightError }).positive({ error: weightError }).optional(),
    }),
  ],
  { error: 'must be a target, such as "primary/gpt-4o" or { use: primary/gpt-4o, weight: 9 }' },
)

const flagSchema = z.boolean({ error: 'must be true or false' }).optional()

/** The schema of one of these words, or a list of them. */
const wordSchema = <const Word extends string>(words: readonly Word[]) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` })
const wordsSchema = <const Word extends string>(words: readonly Word[]) =>
  z.array(wordSchema(words), { error: `must be a list of ${words.join(', ')}` }).optional()

const MAX_NAME_CHARACTERS = 200
const MAX_DESCRIPTION_CHARACTERS = 2_000

function textSchema(maxCharacters: number) {
  const error = `must be a text of 1 to ${maxCharacters} characters`
  return z.string({ error }).trim().min(1, { error }).max(maxCharacters, { error }).optional()
}

export const modelSchema = z.strictObject({
  targets: z
    .array(targetSchema, { error: 'must be a list of targets' })
    .min(1, { error: 'must name a target' })
    .optional(),
  fallback: z.array(publicNameSchema, { error: 'must be a list of public names' }).optional(),
  strategy: wordSchema(strategies).optional(),
  price: priceSchema.optional(),
  display_name: textSchema(MAX_NAME_CHARACTERS),
  description: textSchema(MAX_DESCRIPTION_CHARACTERS),
  reasoning: z
    .union([z.boolean(), z.enum(reasoningKinds)], {
      error: `must be true, false or one of ${reasoningKinds.join(', ')}`,
    })
    .optional(),
  reasoning_efforts: wordsSchema(efforts),
  reasoning_replay: wordSchema(replayFields).optional(),
  max_tokens_field: z
    .enum(['max_tokens', 'max_completion_tokens'], { error: 'must be max_tokens or max_completion_tokens' })
    .optional(),
  system_role: z.enum(['system', 'developer'], { error: 'must be system or developer' }).optional(),
  text_parts: flagSchema,
  media_addresses: wordsSchema(mediaKinds),
  cache_marks: flagSchema,
  stream_usage: flagSchema,
  parallel_tool_calls: flagSchema,
  json_schema: flagSchema,
  tool_choices: wordSchema(toolChoiceKinds).optional(),
  top_k: flagSchema,
  refused_fields: wordsSchema(refusableFields),
  default_max_tokens: z
    .int({ error: 'must be a whole number of tokens' })
    .positive({ error: 'must be above 0' })
    .optional(),
  max_output_tokens: z
    .int({ error: 'must be a whole number of tokens' })
    .positive({ error: 'must be above 0' })
    .optional(),
  context_window: z
    .int({ error: 'must be a whole number of tokens' })
    .positive({ error: 'must be above 0' })
    .optional(),
  completions: flagSchema,
  max_embedding_inputs: z
    .int({ error: 'must be a whole number of inputs' })
    .positive({ error: 'must be above 0' })
    .optional(),
})

type ModelInput = z.output<typeof modelSchema>

export function readModelEntry(publicName: string, input: ModelInput): ModelEntry {
  const targets = input.targets?.map(readTarget).filter((target) => target !== undefined)
  const prices = input.price && readPriceHistory(`models/${publicName}`, input.price)
  return {
    publicName,
    ...(targets === undefined ? {} : { targets }),
    fallbacks: input.fallback ?? [],
    ...(input.display_name !== undefined && { displayName: input.display_name }),
    ...(input.description !== undefined && { description: input.description }),
    capabilities: readCapabilities(input),
    ...(prices && { prices }),
    ...(input.strategy && { strategy: input.strategy }),
  }
}

function readTarget(input: z.output<typeof targetSchema>): TargetName | undefined {
  if (typeof input === 'string') return readTargetName(input)
  const name = readTargetName(input.use)
  return name && { ...name, ...(input.weight !== undefined && { weight: input.weight }) }
}

/** Reads the reasoning setting. A model that does not reason accepts no field that requests reasoning. */
function readReasoning(stated: ModelInput['reasoning']): Pick<Capabilities, 'reasoning' | 'reasons'> {
  if (stated === undefined) return {}
  if (stated === true) return { reasons: true }
  return stated === false ? { reasons: false, reasoning: 'none' } : { reasoning: stated }
}

function readCapabilities(input: ModelInput): Capabilities {
  return {
    ...readReasoning(input.reasoning),
    ...(input.reasoning_efforts && { efforts: input.reasoning_efforts }),
    ...(input.reasoning_replay && { reasoningReplay: input.reasoning_replay }),
    ...(input.max_tokens_field && { maxTokensField: input.max_tokens_field }),
    ...(input.system_role && { systemRole: input.system_role }),
    ...(input.text_parts !== undefined && { textParts: input.text_parts }),
    ...(input.media_addresses && { mediaAddresses: input.media_addresses }),
    ...(input.cache_marks !== undefined && { cacheMarks: input.cache_marks }),
    ...(input.stream_usage !== undefined && { streamUsageOption: input.stream_usage }),
    ...(input.parallel_tool_calls !== undefined && { acceptsParallelToolCalls: input.parallel_tool_calls }),
    ...(input.json_schema !== undefined && { jsonSchema: input.json_schema }),
    ...(input.tool_choices && { toolChoices: input.tool_choices }),
    ...(input.top_k !== undefined && { acceptsTopK: input.top_k }),
    ...(input.refused_fields && { refusedFields: input.refused_fields }),
    ...(input.default_max_tokens !== undefined && { defaultMaxTokens: input.default_max_tokens }),
    ...(input.max_output_tokens !== undefined && { maxOutputTokens: input.max_output_tokens }),
    ...(input.context_window !== undefined && { contextWindowTokens: input.context_window }),
    ...(input.completions !== undefined && { completions: input.completions }),
    ...(input.max_embedding_inputs !== undefined && { maxEmbeddingInputs: input.max_embedding_inputs }),
  }
}
