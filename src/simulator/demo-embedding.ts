import { createHash } from 'node:crypto'
import { isJsonArray, type JsonObject, type JsonValue } from '../kit/json/json.ts'
import { countTokens } from './demo-answer.ts'
import { DemoError } from './demo-error.ts'
import { demoEmbeddingModel, readCount, requireModel } from './demo-request.ts'

const DEFAULT_DIMENSIONS = 256
const MAX_DIMENSIONS = 4096
const MAX_INPUTS = 2048

/** Answers the body of an embeddings request. Throws `DemoError`. */
export function answerEmbeddings(body: JsonObject): JsonObject {
  requireModel(body, demoEmbeddingModel)
  const texts = readInputs(body['input'])
  const dimensions = readCount(body, 'dimensions') ?? DEFAULT_DIMENSIONS
  if (dimensions > MAX_DIMENSIONS) {
    throw new DemoError(400, `dimensions must be at most ${MAX_DIMENSIONS}.`, { param: 'dimensions' })
  }
  const format = body['encoding_format'] ?? 'float'
  if (format !== 'float' && format !== 'base64') {
    throw new DemoError(400, 'encoding_format must be "float" or "base64".', { param: 'encoding_format' })
  }
  const data = texts.map((text, index) => {
    const vector = embedText(text, dimensions)
    return { object: 'embedding', index, embedding: format === 'float' ? [...vector] : writeBase64(vector) }
  })
  const tokens = countTokens(texts)
  const usage = { prompt_tokens: tokens, total_tokens: tokens }
  return { object: 'list', data, model: demoEmbeddingModel, usage }
}

/** Reads a text, a list of texts, a list of tokens or a list of lists of tokens. */
function readInputs(input: JsonValue | undefined): readonly string[] {
  const isTokens = isJsonArray(input) && input.length > 0 && input.every((each) => typeof each === 'number')
  const list = isTokens || !isJsonArray(input) ? [input] : input
  if (list.length > MAX_INPUTS) {
    throw new DemoError(400, `input may hold at most ${MAX_INPUTS} texts.`, { param: 'input' })
  }
  const texts = list.map((each) => (isJsonArray(each) ? each.map(String).join(' ') : each))
  if (texts.length > 0 && texts.every((text) => typeof text === 'string' && text !== '')) {
    return texts.filter((text) => typeof text === 'string')
  }
  throw new DemoError(400, 'input must be a text or a list of texts or tokens, none of them empty.', {
    param: 'input',
  })
}

/**
 * Makes a unit vector that depends only on the text. Texts with common words are near each other, so that a search over
 * the vectors finds matches.
 */
export function embedText(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]
  for (const word of words) addWord(vector, word)
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/** Adds the direction of a word, from xorshift32 seeded by the word's hash. */
function addWord(vector: Float32Array, word: string): void {
  let state = createHash('sha256').update(word).digest().readUInt32LE(0) || 1
  for (let index = 0; index < vector.length; index += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    vector[index] = (vector[index] ?? 0) + state / 2 ** 31
  }
}

/** Writes little-endian 32-bit floats, which clients of the format decode. */
function writeBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}
