// The requests that the messages API takes and those that it refuses, as its reference describes them
// (https://platform.claude.com/docs/en/api/messages, seen 2026-11-20).
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../../src/kit/json/json.ts'

const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be an object')
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/, 'must match ^[a-zA-Z0-9_-]{1,128}$')
const cacheMark = z
  .strictObject({
    type: z.literal('ephemeral'),
    ttl: z.enum(['5m', '1h']).optional(),
    scope: z.string().optional(),
  })
  .optional()

const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string().regex(/\S/, 'text content blocks must contain non-whitespace text'),
  cache_control: cacheMark,
  citations: z.array(jsonObject).nullable().optional(),
})
const image = z.strictObject({ type: z.literal('image'), source: jsonObject, cache_control: cacheMark })
const document = z.looseObject({ type: z.literal('document'), source: jsonObject, cache_control: cacheMark })

const userBlock = z.discriminatedUnion('type', [
  textBlock,
  image,
  document,
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
    content: z
      .union([z.string(), z.array(z.discriminatedUnion('type', [textBlock, image, document]))])
      .optional(),
    is_error: z.boolean().optional(),
    cache_control: cacheMark,
  }),
])

const assistantBlock = z.discriminatedUnion('type', [
  textBlock,
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
    name: toolName,
    input: jsonObject,
    caller: jsonObject.optional(),
    cache_control: cacheMark,
  }),
])

const text = z.union([z.string(), z.array(textBlock)])

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: z.union([z.string(), z.array(userBlock).min(1)]) }),
  z.strictObject({ role: z.literal('assistant'), content: z.union([z.string(), z.array(assistantBlock)]) }),
  z.strictObject({ role: z.literal('system'), content: text }),
])

const tool = z.strictObject({
  name: toolName,
  type: z.literal('custom').optional(),
  description: z.string().optional(),
  input_schema: jsonObject.refine(({ type }) => type === 'object', 'type must be "object"'),
  cache_control: cacheMark,
  strict: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullable().optional(),
  defer_loading: z.boolean().optional(),
  input_examples: z.array(jsonObject).optional(),
  allowed_callers: z.array(z.string()).optional(),
})

const thinking = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('enabled'),
    budget_tokens: z.int().min(1024),
    display: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('adaptive'), display: z.string().optional() }),
  z.strictObject({ type: z.literal('disabled') }),
])

const outputFormat = z.strictObject({ type: z.literal('json_schema'), schema: jsonObject })

export const messagesRequestSchema = z
  .strictObject({
    model: z.string().min(1),
    max_tokens: z.int().positive(),
    messages: z.array(message).min(1, 'at least one message is required'),
    system: text.optional(),
    stream: z.boolean().optional(),
    tools: z.array(tool).optional(),
    tool_choice: z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) }).optional(),
    thinking: thinking.optional(),
    temperature: z.number().min(0).max(1).optional(),
    top_p: z.number().min(0).max(1).optional(),
    top_k: z.int().min(0).optional(),
    stop_sequences: z.array(z.string().regex(/\S/)).optional(),
    metadata: z.strictObject({ user_id: z.string().nullable().optional() }).optional(),
    service_tier: z.enum(['auto', 'standard_only']).optional(),
    output_config: z.looseObject({ format: outputFormat.optional() }).optional(),
    /** The field is valid only with its beta header. */
    context_management: jsonObject.optional(),
  })
  .refine(({ thinking: mode, tool_choice: choice }) => !isForced(choice?.type) || !thinks(mode?.type), {
    error: 'Thinking may not be enabled when tool_choice forces tool use.',
  })
  .refine((body) => body.tools !== undefined || body.tool_choice === undefined, {
    error: 'tool_choice may only be specified while providing tools',
  })
  .refine((body) => !thinks(body.thinking?.type) || (body.temperature ?? 1) === 1, {
    error: 'temperature may only be set to 1 when thinking is enabled',
  })

function isForced(type: string | undefined): boolean {
  return type === 'any' || type === 'tool'
}

function thinks(type: string | undefined): boolean {
  return type === 'enabled' || type === 'adaptive'
}

export type MessagesRequestBody = z.output<typeof messagesRequestSchema>
export type MessagesMessage = MessagesRequestBody['messages'][number]
export type MessagesTurn = Exclude<MessagesMessage, { role: 'system' }>
export type MessagesBlock = Exclude<MessagesTurn['content'], string>[number]
