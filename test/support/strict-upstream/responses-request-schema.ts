// The conversations with functions that the responses API takes, as its reference describes them
// (https://platform.openai.com/docs/api-reference/responses/create, seen 2026-11-20).
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../../src/kit/json/json.ts'

const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be an object')
const itemId = (prefix: string) => z.string().startsWith(prefix, `R5: must begin with ${prefix}`).optional()
const status = z.enum(['in_progress', 'completed', 'incomplete']).nullable().optional()
const callId = z.string().min(1).max(64, 'R3: a call_id has at most 64 characters')

const inputText = z.strictObject({ type: z.literal('input_text'), text: z.string() })
const inputImage = z.strictObject({
  type: z.literal('input_image'),
  image_url: z.string().regex(/^(https?:|data:image\/)/),
  detail: z.enum(['auto', 'low', 'high']).optional(),
})
const inputParts = z.array(z.discriminatedUnion('type', [inputText, inputImage])).min(1)
const outputPart = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(jsonObject).optional(),
    logprobs: z.array(jsonObject).optional(),
  }),
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
])

const asked = z.strictObject({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'system', 'developer']),
  content: z.union([z.string(), inputParts]),
  status,
  id: itemId('msg_'),
})
const said = z.strictObject({
  type: z.literal('message').optional(),
  role: z.literal('assistant'),
  content: z.union([z.string(), z.array(outputPart).min(1)]),
  status,
  phase: z.string().nullable().optional(),
  id: itemId('msg_'),
})
const reasoning = z.strictObject({
  type: z.literal('reasoning'),
  id: itemId('rs_'),
  summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
  content: z.array(jsonObject).nullable().optional(),
  encrypted_content: z.string().nullable().optional(),
  status,
})
const call = z.strictObject({
  type: z.literal('function_call'),
  id: itemId('fc_'),
  call_id: callId,
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  arguments: z.string().refine(isJsonText, 'R4: arguments must be a JSON object'),
  status,
})
const result = z.strictObject({
  type: z.literal('function_call_output'),
  id: itemId('fc'),
  call_id: callId,
  output: z.union([z.string(), inputParts]),
  status,
})

const item = z.union([asked, said, reasoning, call, result])

const tool = z.strictObject({
  type: z.literal('function'),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string().nullable().optional(),
  parameters: jsonObject.nullable(),
  strict: z.boolean().nullable().optional(),
})

export const responsesRequestSchema = z
  .strictObject({
    model: z.string().min(1),
    input: z.union([z.string(), z.array(item).min(1)]),
    instructions: z.string().nullable().optional(),
    stream: z.boolean().optional(),
    store: z.literal(false, { error: 'R11: nothing is stored here' }),
    include: z.array(z.enum(['reasoning.encrypted_content', 'message.output_text.logprobs'])).optional(),
    tools: z.array(tool).optional(),
    tool_choice: z.union([z.enum(['none', 'auto', 'required']), jsonObject]).optional(),
    parallel_tool_calls: z.boolean().optional(),
    max_output_tokens: z.int().min(16, 'R10: below the minimum of 16').optional(),
    temperature: z.number().min(0).max(2).optional(),
    top_p: z.number().min(0).max(1).optional(),
    reasoning: z
      .strictObject({
        effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
        summary: z.enum(['auto', 'concise', 'detailed']).nullable().optional(),
      })
      .optional(),
    text: jsonObject.optional(),
    metadata: z.record(z.string(), z.string()).optional(),
    prompt_cache_key: z.string().optional(),
    user: z.string().max(64).optional(),
    service_tier: z.enum(['auto', 'default', 'flex', 'priority']).optional(),
    truncation: z.literal('disabled').optional(),
  })
  .refine((body) => body.tools !== undefined || body.tool_choice === undefined, {
    error: 'R10: tool_choice is only allowed when tools are specified',
  })
  .refine((body) => body.tools !== undefined || body.parallel_tool_calls === undefined, {
    error: 'R10: parallel_tool_calls is only allowed when tools are specified',
  })

export type ResponsesRequestBody = z.output<typeof responsesRequestSchema>
export type ResponsesItem = Exclude<ResponsesRequestBody['input'], string>[number]

function isJsonText(value: string): boolean {
  try {
    return isJsonObject(JSON.parse(value))
  } catch {
    return false
  }
}
