// The conversations with tools that Cohere's chat takes, as its reference describes them
// (https://docs.cohere.com/reference/chat, seen 2026-11-20).
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../../src/kit/json/json.ts'

const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be an object')
const words = z.string().min(1, 'K5: a text is empty')
const text = z.strictObject({ type: z.literal('text'), text: words })
const image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() }),
})
const thinking = z.strictObject({ type: z.literal('thinking'), thinking: words })
const document = z.strictObject({ type: z.literal('document'), document: jsonObject })

const call = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().min(1),
    arguments: z.string().refine(isJsonText, 'K4: arguments must be a JSON object'),
  }),
})

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.union([words, z.array(text).min(1)]) }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([words, z.array(z.discriminatedUnion('type', [text, image])).min(1)]),
  }),
  z
    .strictObject({
      role: z.literal('assistant'),
      content: z.union([words, z.array(z.discriminatedUnion('type', [text, thinking])).min(1)]).optional(),
      tool_plan: z.string().optional(),
      tool_calls: z.array(call).min(1).optional(),
    })
    .refine((turn) => (turn.content ?? turn.tool_calls) !== undefined, 'K5: an assistant says nothing'),
  z.strictObject({
    role: z.literal('tool'),
    tool_call_id: z.string().min(1),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, document]))]),
  }),
])

export const cohereRequestSchema = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string().min(1),
          description: z.string().optional(),
          parameters: jsonObject,
        }),
      }),
    )
    .optional(),
  tool_choice: z.enum(['REQUIRED', 'NONE']).optional(),
  thinking: z
    .strictObject({ type: z.enum(['enabled', 'disabled']), token_budget: z.int().positive().optional() })
    .optional(),
  max_tokens: z.int().positive().optional(),
  temperature: z.number().min(0).max(1).optional(),
})

export type CohereMessage = z.output<typeof cohereRequestSchema>['messages'][number]

function isJsonText(value: string): boolean {
  try {
    return isJsonObject(JSON.parse(value))
  } catch {
    return false
  }
}
