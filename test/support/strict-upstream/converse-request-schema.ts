// The conversations with tools that Converse takes, as its reference describes them
// (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, seen 2026-11-20).
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../../src/kit/json/json.ts'

const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be an object')
const words = z.string().regex(/\S/, 'B5: The text field in the ContentBlock object is blank.')
const callId = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'B4: toolUseId')
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
const image = z.strictObject({
  format: z.enum(['png', 'jpeg', 'gif', 'webp']),
  source: z.strictObject({ bytes: z.base64() }),
})
const cachePoint = z.strictObject({ type: z.literal('default'), ttl: z.enum(['5m', '1h']).optional() })

const block = z
  .strictObject({
    text: words.optional(),
    image: image.optional(),
    toolUse: z.strictObject({ toolUseId: callId, name: toolName, input: jsonObject }).optional(),
    toolResult: z
      .strictObject({
        toolUseId: callId,
        content: z.array(
          z
            .strictObject({
              text: z.string().optional(),
              json: jsonObject.optional(),
              image: image.optional(),
            })
            .refine((one) => Object.keys(one).length === 1, 'B1: a block must hold one thing'),
        ),
        status: z.enum(['success', 'error']).optional(),
      })
      .optional(),
    reasoningContent: z
      .strictObject({
        reasoningText: z.strictObject({ text: z.string(), signature: z.string().optional() }).optional(),
        redactedContent: z.base64().optional(),
      })
      .refine((one) => Object.keys(one).length === 1, 'B1: reasoning must hold one thing')
      .optional(),
    cachePoint: cachePoint.optional(),
  })
  .refine((one) => Object.keys(one).length === 1, 'B1: a block must hold one thing')

export const converseRequestSchema = z.strictObject({
  messages: z.array(
    z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1, 'B5: no content') }),
  ),
  system: z.array(z.union([z.strictObject({ text: words }), z.strictObject({ cachePoint })])).optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().positive().optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string()).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({
      tools: z
        .array(
          z.union([
            z.strictObject({
              toolSpec: z.strictObject({
                name: toolName,
                description: z.string().min(1).optional(),
                inputSchema: z.strictObject({ json: jsonObject }),
                strict: z.boolean().optional(),
              }),
            }),
            z.strictObject({ cachePoint }),
          ]),
        )
        .min(1),
      toolChoice: jsonObject.optional(),
    })
    .optional(),
  additionalModelRequestFields: z
    .strictObject({
      thinking: z
        .strictObject({
          type: z.enum(['enabled', 'disabled', 'adaptive']),
          budget_tokens: z.int().min(1024).optional(),
          display: z.string().optional(),
        })
        .optional(),
      output_config: jsonObject.optional(),
      top_k: z.int().optional(),
      anthropic_beta: z.array(z.string()).optional(),
    })
    .optional(),
  requestMetadata: z.record(z.string(), z.string()).optional(),
})

export type ConverseBody = z.output<typeof converseRequestSchema>
export type ConverseMessage = ConverseBody['messages'][number]
export type ConverseBlock = ConverseMessage['content'][number]
