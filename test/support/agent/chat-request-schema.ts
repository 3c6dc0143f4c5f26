// The requests that the chat-completions API takes and those that it refuses, as its reference describes them
// (https://platform.openai.com/docs/api-reference/chat/create, seen 2026-11-20).
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../../src/kit/json/json.ts'

const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be an object')
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must match ^[a-zA-Z0-9_-]+$')
const textPart = z.strictObject({ type: z.literal('text'), text: z.string() })

const userPart = z.discriminatedUnion('type', [
  textPart,
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({
      url: z.string().regex(/^(https?:|data:image\/)/),
      detail: z.enum(['auto', 'low', 'high']).optional(),
    }),
  }),
  z.strictObject({ type: z.literal('input_audio'), input_audio: jsonObject }),
  z.strictObject({ type: z.literal('file'), file: jsonObject }),
])

const toolCall = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({
    name: toolName,
    arguments: z.string({ error: 'arguments must be a string' }).refine(isJsonText, 'arguments must be JSON'),
  }),
})

const text = z.union([z.string(), z.array(textPart).min(1)])

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content: text, name: z.string().optional() }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(userPart).min(1)]),
    name: z.string().optional(),
  }),
  z
    .strictObject({
      role: z.literal('assistant'),
      content: z.union([text, z.null()]).optional(),
      refusal: z.string().nullable().optional(),
      name: z.string().optional(),
      tool_calls: z.array(toolCall).min(1, 'empty array').optional(),
    })
    .refine(
      (turn) => turn.tool_calls !== undefined || (turn.content ?? turn.refusal ?? null) !== null,
      'an assistant message needs content or tool_calls',
    ),
  z.strictObject({
    role: z.literal('tool'),
    content: text,
    tool_call_id: z.string().min(1),
    /** The reference has no such field, but LangChain sends it and is answered. */
    name: z.string().optional(),
  }),
])

const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: toolName,
    description: z.string().optional(),
    parameters: jsonObject.optional(),
    strict: z.boolean().nullable().optional(),
  }),
})

const responseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
      description: z.string().optional(),
      schema: jsonObject.optional(),
      strict: z.boolean().nullable().optional(),
    }),
  }),
])

const effort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'])

export const chatRequestSchema = z
  .strictObject({
    model: z.string().min(1),
    messages: z.array(message).min(1, 'empty array'),
    stream: z.boolean().nullable().optional(),
    stream_options: z.strictObject({ include_usage: z.boolean().optional() }).nullable().optional(),
    tools: z.array(tool).min(1, 'empty array').optional(),
    tool_choice: z.union([z.enum(['none', 'auto', 'required']), jsonObject]).optional(),
    parallel_tool_calls: z.boolean().optional(),
    max_tokens: z.int().positive().optional(),
    max_completion_tokens: z.int().positive().optional(),
    temperature: z.number().min(0).max(2).optional(),
    top_p: z.number().min(0).max(1).optional(),
    stop: z.union([z.string(), z.array(z.string()).max(4)]).optional(),
    reasoning_effort: effort.optional(),
    response_format: responseFormat.optional(),
    metadata: z.record(z.string(), z.string().max(512)).optional(),
    store: z.boolean().optional(),
    user: z.string().optional(),
    safety_identifier: z.string().max(64).optional(),
    prompt_cache_key: z.string().max(64).optional(),
    seed: z.int().optional(),
    service_tier: z.enum(['auto', 'default', 'flex', 'priority', 'scale']).optional(),
    verbosity: z.enum(['low', 'medium', 'high']).optional(),
    n: z.literal(1).optional(),
    presence_penalty: z.number().min(-2).max(2).optional(),
    frequency_penalty: z.number().min(-2).max(2).optional(),
  })
  .refine((body) => body.stream_options == null || body.stream === true, {
    error: 'stream_options is only allowed when stream is enabled',
  })
  .refine((body) => body.tools !== undefined || body.tool_choice === undefined, {
    error: 'tool_choice is only allowed when tools are specified',
  })
  .refine((body) => body.tools !== undefined || body.parallel_tool_calls === undefined, {
    error: 'parallel_tool_calls is only allowed when tools are specified',
  })
  .refine((body) => body.max_tokens === undefined || body.max_completion_tokens === undefined, {
    error: 'max_tokens and max_completion_tokens cannot both be set',
  })

export type ChatRequestBody = z.output<typeof chatRequestSchema>
export type ChatMessage = ChatRequestBody['messages'][number]

function isJsonText(value: string): boolean {
  try {
    return isJsonObject(JSON.parse(value))
  } catch {
    return false
  }
}
