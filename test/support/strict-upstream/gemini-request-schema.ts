// The conversations with functions that `generateContent` takes, as its reference describes them
// (https://ai.google.dev/api/generate-content and …/api/caching, seen 2026-11-20).
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../../src/kit/json/json.ts'

const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be an object')
const functionName = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/)
const base64 = z.base64()
const blob = z.strictObject({ mimeType: z.string(), data: base64 })

const part = z
  .strictObject({
    text: z.string().optional(),
    thought: z.boolean().optional(),
    thoughtSignature: base64.or(z.literal('skip_thought_signature_validator')).optional(),
    inlineData: blob.optional(),
    functionCall: z
      .strictObject({ id: z.string().optional(), name: functionName, args: jsonObject.optional() })
      .optional(),
    functionResponse: z
      .strictObject({
        id: z.string().optional(),
        name: functionName,
        response: jsonObject,
        parts: z.array(z.strictObject({ inlineData: blob })).optional(),
      })
      .optional(),
  })
  .refine(
    ({ text, inlineData, functionCall, functionResponse }) =>
      [text, inlineData, functionCall, functionResponse].filter((each) => each !== undefined).length === 1,
    'G1: a part must hold one thing',
  )

const content = z.strictObject({
  role: z.enum(['user', 'model'], { error: 'G2: Please use a valid role: user, model.' }),
  parts: z.array(part).min(1, 'G2: contents.parts must not be empty'),
})

const declaration = z.strictObject({
  name: functionName,
  description: z.string().optional(),
  parameters: jsonObject.optional(),
  parametersJsonSchema: jsonObject.optional(),
})

export const geminiRequestSchema = z.strictObject({
  contents: z.array(content).min(1, 'G2: contents are not specified'),
  systemInstruction: z
    .strictObject({
      role: z.string().optional(),
      parts: z.array(z.strictObject({ text: z.string() })).min(1),
    })
    .optional(),
  tools: z.array(z.strictObject({ functionDeclarations: z.array(declaration).min(1) })).optional(),
  toolConfig: jsonObject.optional(),
  generationConfig: z
    .strictObject({
      maxOutputTokens: z.int().positive().optional(),
      temperature: z.number().min(0).max(2).optional(),
      topP: z.number().optional(),
      topK: z.int().optional(),
      stopSequences: z.array(z.string()).max(5).optional(),
      thinkingConfig: z
        .strictObject({
          includeThoughts: z.boolean().optional(),
          thinkingLevel: z.enum(['LOW', 'HIGH', 'MEDIUM', 'MINIMAL']).optional(),
          thinkingBudget: z.int().optional(),
        })
        .refine(
          ({ thinkingLevel, thinkingBudget }) =>
            (thinkingLevel ?? thinkingBudget) === undefined ||
            thinkingLevel === undefined ||
            thinkingBudget === undefined,
          'G1: a level or a budget',
        )
        .optional(),
    })
    .optional(),
})

export type GeminiContent = z.output<typeof geminiRequestSchema>['contents'][number]
export type GeminiPart = GeminiContent['parts'][number]
