import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { type WatchedWords, watchedWords } from '../../kit/json/watched-words.ts'
import type { BilledTool, CacheMarks } from '../spending-terms.ts'
import type { FieldSpan, ScannedRequest } from '../wire-format.ts'
import { limitOf, readSent } from './read-count.ts'

/**
 * An escaped letter or digit. A text search does not find names that are written with such escapes. No client writes
 * them.
 */
const escapedLetter = /(?<!\\)(?:\\\\)*\\u00[3-7][0-9a-f]/i

/**
 * A pattern, and words for a quick check: every matching text contains at least one of them. Few bodies contain any of
 * the words, so most are not searched.
 */
export interface BodySearch {
  readonly words: WatchedWords
  readonly pattern: RegExp
}

/** Whether a field of a body matches the pattern, or contains escapes that may hide a match. */
export function fieldMayHold(
  body: BodyBytes,
  field: FieldSpan | undefined,
  { words, pattern }: BodySearch,
): boolean {
  return field !== undefined && body.mayHold(words) && mayHold(latin1Of(body, field), pattern)
}

/** Whether any of these fields of a body matches the pattern, or contains escapes that may hide a match. */
export function fieldsMayHold(
  { body, fields }: Pick<ScannedRequest, 'body' | 'fields'>,
  names: readonly string[],
  search: BodySearch,
): boolean {
  return names.some((name) => fieldMayHold(body, fields.get(name), search))
}

function mayHold(text: string, pattern: RegExp): boolean {
  return pattern.test(text) || hidesLetter(text)
}

function hidesLetter(text: string): boolean {
  return text.includes('\\u00') && escapedLetter.test(text)
}

function latin1Of(body: BodyBytes, { valueStart, valueEnd }: FieldSpan): string {
  return body.latin1(valueStart, valueEnd)
}

const cacheMark = /"cache_control"\s*:\s*\{/
const cacheWords = watchedWords({ names: ['cache_control'] })
const longMark = /"1h"/
const lifeWords = watchedWords({ names: ['ttl'] })

/** Finds the marks in a body by which the caller asks the provider to cache. */
export function findCacheMarks({ body }: Pick<ScannedRequest, 'body'>): CacheMarks {
  if (!body.mayHold(cacheWords)) return 'none'
  const text = body.latin1()
  if (!mayHold(text, cacheMark)) return 'none'
  return body.mayHold(lifeWords) && mayHold(text, longMark) ? 'long' : 'short'
}

/** The names that a format has for tools that providers run. */
export interface ToolWords {
  /** Types of tools that the caller runs. A tool without a type is also one of them. */
  readonly ofCaller: RegExp
  nameOf(type: string, tool: JsonObject): string
}

const typeMember = /"type"\s*:\s*"([^"\\]*)"/g
/** Types of JSON Schema, which nearly every tool uses to describe its input. */
const schemaType = /^(?:string|object|array|number|integer|boolean|null)$/

/** Returns the provider's tools in a list. The list is parsed only where a type in it may be a provider's tool. */
export function findBilledTools(
  scanned: ScannedRequest,
  { ofCaller, nameOf }: ToolWords,
): readonly BilledTool[] {
  const field = scanned.fields.get('tools')
  if (field === undefined) return []
  if (holdsNoneBut(ofCaller, latin1Of(scanned.body, field))) return []
  const tools = readSent(scanned, 'tools')
  const found: BilledTool[] = []
  for (const tool of isJsonArray(tools) ? tools : []) {
    if (!isJsonObject(tool) || typeof tool['type'] !== 'string' || ofCaller.test(tool['type'])) continue
    found.push({ name: nameOf(tool['type'], tool), maxCalls: limitOf(tool['max_uses']) })
  }
  return found
}

function holdsNoneBut(ofCaller: RegExp, tools: string): boolean {
  for (const [, type = ''] of tools.matchAll(typeMember)) {
    if (!schemaType.test(type) && !ofCaller.test(type)) return false
  }
  return !hidesLetter(tools)
}

/** A search for a version grows with the square of the length, and no type of a tool is longer than this. */
const MAX_TYPE_CHARACTERS = 256

/** Removes the version from a tool's type: `web_search` from `web_search_20260318` and from `web_search_preview`. */
export function withoutVersion(type: string): string {
  if (type.length > MAX_TYPE_CHARACTERS) return type
  return type.replace(/_preview(?=_|$)/, '').replace(/_\d[\d_]*$/, '')
}
