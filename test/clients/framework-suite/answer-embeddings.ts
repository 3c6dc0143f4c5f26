// The requests and answers of the embeddings API (https://platform.openai.com/docs/api-reference/embeddings/create,
// seen 2026-11-20).
import { z } from 'zod'
import { checkSchema } from '../../support/agent/check-schema.ts'
import { Refusal } from '../../support/agent/conversation.ts'
import { speeches } from '../../support/agent/speech.ts'
import { jsonAnswer, type RecordedRequest, type ScriptedAnswer } from '../../support/scripted-upstream.ts'

const requestSchema = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(2_048)]),
  encoding_format: z.enum(['float', 'base64']).optional(),
  dimensions: z.int().positive().optional(),
  user: z.string().optional(),
})

/** The vector that the upstream gives for a text. Every number is one that 32 bits can hold. */
export function vectorOf(text: string): readonly number[] {
  return [text.length, text.charCodeAt(0) / 256, -0.5]
}

/** Answers a request for embeddings. Throws `Refusal`. */
export function answerEmbeddings(request: RecordedRequest): ScriptedAnswer {
  if (!speeches.chat.isKnown(request)) throw new Refusal('the credential is wrong', { status: 401 })
  const { model, input, encoding_format } = checkSchema(requestSchema, JSON.parse(request.body.toString()))
  const data = [input].flat().map((text, index) => {
    const vector = vectorOf(text)
    const embedding = encoding_format === 'base64' ? toBase64(vector) : vector
    return { object: 'embedding', index, embedding }
  })
  return jsonAnswer({ object: 'list', data, model, usage: { prompt_tokens: 8, total_tokens: 8 } })
}

function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}
