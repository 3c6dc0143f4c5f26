import { GatewayError } from '../../../canonical/failure.ts'
import { isJsonArray, type JsonValue } from '../../../kit/json/json.ts'
import { invalidField } from '../../fields/read-field.ts'

/** The maximum number of prompts. Each prompt is a separate call, and the calls run one after the other. */
const MAX_PROMPTS = 128

/**
 * Reads the prompts as texts, at least one, for a channel that holds conversations. Throws `invalid_field` for a value
 * that is not a prompt, and `cannot_be_carried` for a prompt that only a channel of this operation accepts.
 */
export function readPrompts(prompt: JsonValue | undefined): readonly [string, ...string[]] {
  if (prompt === undefined || prompt === null || prompt === '') throw nothingToSay()
  if (typeof prompt === 'string') return [prompt]
  if (!isJsonArray(prompt)) throw invalidField('prompt', 'a string, or an array of strings or of tokens')
  const [first, ...others] = prompt.map((item, index) => readPrompt(item, prompt.length === 1, index))
  if (first === undefined) throw invalidField('prompt', 'a string, or an array that is not empty')
  if (prompt.length > MAX_PROMPTS) throw tooMany(prompt.length)
  return [first, ...others]
}

function readPrompt(item: JsonValue, isAlone: boolean, index: number): string {
  if (item === '') throw nothingToSay()
  if (typeof item === 'string') return item
  if (Number.isSafeInteger(item) || (isJsonArray(item) && item.every(Number.isSafeInteger))) throw tokens()
  throw invalidField(isAlone ? 'prompt' : `prompt[${index}]`, 'a string, or an array of tokens')
}

function cannotCarry(message: string): GatewayError {
  return new GatewayError('cannot_be_carried', { param: 'prompt', message })
}

function nothingToSay(): GatewayError {
  return cannotCarry(
    'The channel for this model holds conversations, and an empty prompt says nothing to it. Send text in "prompt".',
  )
}

function tokens(): GatewayError {
  return cannotCarry(
    'The channel for this model takes text alone, and tokens are text only to who has the model’s vocabulary. Send "prompt" as a string or an array of strings.',
  )
}

function tooMany(count: number): GatewayError {
  return cannotCarry(
    `The channel for this model takes one prompt a call, so at most ${MAX_PROMPTS} prompts are taken at once; these are ${count}. Send them in several requests.`,
  )
}
