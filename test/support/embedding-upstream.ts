import { fieldsOf } from './judged.ts'
import { jsonAnswer, type RecordedRequest, type ScriptedAnswer } from './scripted-upstream.ts'

/** The way in which an upstream treats `encoding_format`. */
export type EncodingHabit = 'honours' | 'ignores' | 'refuses'

/** The inputs of a request, however they were put. */
export function inputsOf({ body }: Pick<RecordedRequest, 'body'>): readonly unknown[] {
  const { input } = fieldsOf(JSON.parse(body.toString('utf8')))
  if (!Array.isArray(input)) return [input]
  return input.every((token) => typeof token === 'number') ? [input] : input
}

/** A vector that tells which input it belongs to; its numbers are exact as 32-bit floats. */
export function vectorOf(input: unknown): readonly number[] {
  const text = JSON.stringify(input)
  return [text.length, text.charCodeAt(1) / 128, -0.5]
}

/** Answers as a service of the format does, with three tokens for each input. */
export function answerEmbedding(request: RecordedRequest, habit: EncodingHabit = 'honours'): ScriptedAnswer {
  const { encoding_format: encoding } = fieldsOf(JSON.parse(request.body.toString('utf8')))
  if (habit === 'refuses' && encoding !== undefined && encoding !== 'float') {
    const message = 'encoding_format is not supported'
    return jsonAnswer(
      { error: { message, type: 'invalid_request_error', param: 'encoding_format', code: null } },
      400,
    )
  }
  const inputs = inputsOf(request)
  const isPacked = encoding === 'base64' && habit === 'honours'
  const data = inputs.map((input, index) => {
    const vector = vectorOf(input)
    return { object: 'embedding', index, embedding: isPacked ? pack(vector) : vector }
  })
  const usage = { prompt_tokens: 3 * inputs.length, total_tokens: 3 * inputs.length }
  return jsonAnswer({ object: 'list', data, model: 'upstream-name', usage })
}

function pack(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64')
}
