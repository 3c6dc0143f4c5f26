import type { LogProbs } from '../../../canonical/reply.ts'
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsIn,
} from '../../../kit/json/json.ts'

/**
 * The log probabilities of a candidate's tokens, as entries in the shape of the chat format. Undefined if there are
 * none (https://ai.google.dev/api/generate-content#LogprobsResult, seen 2026-11-20).
 */
export function readLogprobs(value: JsonValue | undefined): LogProbs | undefined {
  if (!isJsonObject(value) || !isJsonArray(value['chosenCandidates'])) return undefined
  const steps = isJsonArray(value['topCandidates']) ? value['topCandidates'] : []
  const chosen = value['chosenCandidates'].filter(isJsonObject)
  if (chosen.length === 0) return undefined
  return { content: chosen.map((token, index) => readLogprobEntry(token, steps[index])) }
}

/** Reads one chosen token, with its most likely alternatives. */
export function readLogprobEntry(token: JsonObject, step: JsonValue | undefined): JsonObject {
  return { ...readToken(token), top_logprobs: readTop(step) }
}

function readTop(step: JsonValue | undefined): readonly JsonObject[] {
  const tokens = isJsonObject(step) ? step['candidates'] : undefined
  return objectsIn(tokens).map(readToken)
}

function readToken({ token, tokenId, logProbability }: JsonObject): JsonObject {
  const text = typeof token === 'string' ? token : ''
  const logprob = typeof logProbability === 'number' ? logProbability : 0
  const read = { token: text, logprob, bytes: bytesOf(text) }
  return tokenId === undefined ? read : { ...read, token_id: tokenId }
}

/** A fast path: an answer has tens of thousands of tokens, mostly short ASCII, where each character is one byte. */
function bytesOf(text: string): readonly number[] {
  const bytes: number[] = []
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code > 0x7f) return encode(text)
    bytes.push(code)
  }
  return bytes
}

function encode(text: string): readonly number[] {
  const encoded = Buffer.from(text, 'utf8')
  const bytes: number[] = []
  for (let at = 0; at < encoded.length; at += 1) bytes.push(encoded[at] ?? 0)
  return bytes
}

/** Whether an entry has the shape that `readEntry` returns. Writing it for Gemini and reading it again is lossless. */
export function isEntry(value: JsonValue | undefined): boolean {
  if (!isJsonObject(value) || !isJsonArray(value['top_logprobs'])) return false
  return isToken(value, 'top_logprobs') && value['top_logprobs'].every((top) => isToken(top, undefined))
}

/** Whether a token has its members in the order of `readToken`, followed by the member `last` if there is one. */
function isToken(value: JsonValue, last: string | undefined): boolean {
  if (!isJsonObject(value)) return false
  const { token, logprob, bytes } = value
  if (typeof token !== 'string' || typeof logprob !== 'number' || !isJsonArray(bytes)) return false
  const names = Object.keys(value)
  let at = 3
  if (names[at] === 'token_id') at += 1
  if (last !== undefined && names[at] === last) at += 1
  const isOrdered = names[0] === 'token' && names[1] === 'logprob' && names[2] === 'bytes'
  return isOrdered && names.length === at && isBytesOf(bytes, token)
}

function isBytesOf(bytes: readonly JsonValue[], text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code > 0x7f) return isSame(bytes, encode(text))
    if (bytes[at] !== code) return false
  }
  return bytes.length === text.length
}

function isSame(left: readonly JsonValue[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index])
}
