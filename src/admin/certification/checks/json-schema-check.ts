import { z } from 'zod'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import type { ObservedCall } from '../call-channel.ts'
import { ask, OUTPUT_TOKENS, saying } from './ask.ts'
import { type Check, type CheckVerdict, fails, works } from './check.ts'
import { readAnswer, textOf } from './judge-answer.ts'

/** A model answers in this shape only if the schema is enforced, as the question asks for something else. */
const shape = z.strictObject({
  verdict: z.enum(['granite', 'basalt']),
  score: z.int(),
  remarks: z.array(z.string()),
})

const schema = {
  type: 'object',
  properties: {
    verdict: { type: 'string', enum: ['granite', 'basalt'] },
    score: { type: 'integer' },
    remarks: { type: 'array', items: { type: 'string' } },
  },
  required: ['verdict', 'score', 'remarks'],
  additionalProperties: false,
}

/** Whether an answer is held to a schema. */
export const jsonSchemaCheck: Check = {
  name: 'json_schema',
  bounds: { calls: 1, inputTokens: 600, outputTokens: OUTPUT_TOKENS },
  *run() {
    const outputFormat = { type: 'json-schema', name: 'stone', schema, strict: true } as const
    const question = 'Write two cheerful lines about a stone.'
    return judgeSchema(yield ask([saying(question)], { outputFormat, needsExactly: ['json-output'] }))
  },
}

function judgeSchema(call: ObservedCall): CheckVerdict {
  const answer = readAnswer(call)
  if (answer.type === 'judged') return answer.verdict
  const value = tryParseJson(textOf(answer.reply))
  if (value === undefined) return fails('not_json')
  return shape.safeParse(value).success ? works('fits_schema') : fails('other_shape')
}
