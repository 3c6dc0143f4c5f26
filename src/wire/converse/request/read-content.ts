import type {
  AssistantBlock,
  Block,
  CacheMark,
  SearchResultBlock,
  SystemBlock,
  TextBlock,
  ToolResultBlock,
  ToolResultContent,
  UserBlock,
} from '../../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import {
  asObject,
  invalidField,
  joinPath,
  readArray,
  readString,
  requireObject,
  requireString,
} from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { readCitation } from '../values/read-citation.ts'
import { readReasoning } from '../values/reasoning-content.ts'
import { opaque, readAudio, readDocument, readImage, readVideo } from './read-media.ts'
import { toolResultFields, toolUseFields } from './request-fields.ts'

const toolUse = knownFields(toolUseFields)
const toolResult = knownFields(toolResultFields)

/** Adds a cache mark to a block. Undefined if a block of this kind cannot have a mark. */
function withMark<Item extends Block>(block: Item, cache: CacheMark): Item | undefined {
  return markable.has(block.type) ? Object.assign({}, block, { cache }) : undefined
}

/** The kinds of blocks that can have a cache mark in the canonical form. */
const markable: ReadonlySet<Block['type']> = new Set([
  'text',
  'image',
  'document',
  'search-result',
  'tool-call',
  'tool-result',
])

/** Reads a list of blocks. A cache point becomes a mark on the block before it. Without such a block it is opaque. */
export function readBlocks<Item extends Block>(
  list: readonly JsonValue[],
  path: string,
  read: (block: JsonObject, path: string) => Item,
): readonly (Item | ReturnType<typeof opaque>)[] {
  const blocks: (Item | ReturnType<typeof opaque>)[] = []
  for (const [index, item] of list.entries()) {
    const block = asObject(item, `${path}[${index}]`)
    const mark = readMark(block['cachePoint'])
    const last = blocks.at(-1)
    const marked = mark === undefined || last === undefined ? undefined : withMark(last, mark)
    if (marked !== undefined) blocks[blocks.length - 1] = marked
    else blocks.push(mark === undefined ? read(block, `${path}[${index}]`) : opaque(block))
  }
  return blocks
}

export function readMark(point: JsonValue | undefined): CacheMark | undefined {
  if (!isJsonObject(point)) return undefined
  const { ttl } = point
  return ttl === '5m' || ttl === '1h' ? { lifetime: ttl } : {}
}

export function readSystemBlock(block: JsonObject): SystemBlock {
  const { text } = block
  return typeof text === 'string' ? { type: 'text', text } : (readGuarded(block) ?? opaque(block))
}

/**
 * Reads text that is marked for a guardrail: words of the conversation like any other. The block itself stays in the
 * extras, since only this format has the mark.
 */
function readGuarded({ guardContent }: JsonObject): TextBlock | undefined {
  const inner = isJsonObject(guardContent) ? guardContent['text'] : undefined
  const text = isJsonObject(inner) ? inner['text'] : undefined
  return typeof text === 'string' ? { type: 'text', text, ...toExtras({ guardContent }) } : undefined
}

/** Reads a user's block that is not a tool result. */
export function readUserBlock(block: JsonObject, path: string): UserBlock {
  const { text, image, video, audio, document, searchResult } = block
  if (text !== undefined) return { type: 'text', text: requireString(block, 'text', path) }
  if (image !== undefined) return readImage(block, path)
  if (video !== undefined) return readVideo(block, path)
  if (audio !== undefined) return readAudio(block, path)
  if (document !== undefined) return readDocument(block, path)
  if (searchResult !== undefined) return readSearchResult(block, path)
  if (block['toolUse'] !== undefined || block['reasoningContent'] !== undefined)
    throw invalidField(path, 'a block that users may send')
  return readGuarded(block) ?? opaque(block)
}

export function readAssistantBlock(block: JsonObject, path: string): AssistantBlock {
  const { text, reasoningContent, citationsContent } = block
  if (text !== undefined) return { type: 'text', text: requireString(block, 'text', path) }
  if (isJsonObject(reasoningContent)) return readReasoning(reasoningContent) ?? opaque(block)
  if (isJsonObject(citationsContent)) return readCited(citationsContent)
  if (block['toolUse'] !== undefined) return readToolUse(block, path)
  if (block['toolResult'] !== undefined && !isOwnResult(block))
    throw invalidField(path, 'a block that assistants may send')
  return opaque(block)
}

/** Reads a call of one of the caller's tools. A call of a tool that the provider runs stays unchanged. */
function readToolUse(block: JsonObject, path: string): AssistantBlock {
  const inner = joinPath(path, 'toolUse')
  const holder = requireObject(block, 'toolUse', path)
  if ((holder['type'] ?? 'tool_use') !== 'tool_use') return opaque(block)
  return {
    type: 'tool-call',
    id: requireString(holder, 'toolUseId', inner),
    name: requireString(holder, 'name', inner),
    kind: 'function',
    input: JSON.stringify(holder['input'] ?? {}),
    ...toExtras(leftoversOf(holder, toolUse)),
  }
}

/** Whether a result comes from a tool that the provider ran. */
export function isOwnResult({ toolResult: result }: JsonObject): boolean {
  return isJsonObject(result) && (result['type'] ?? 'tool_result') !== 'tool_result'
}

export function readToolResult(block: JsonObject, path: string): ToolResultBlock {
  const inner = joinPath(path, 'toolResult')
  const holder = requireObject(block, 'toolResult', path)
  const content = readArray(holder, 'content', inner) ?? []
  return {
    type: 'tool-result',
    callId: requireString(holder, 'toolUseId', inner),
    content: content.map((item, index) => {
      const partPath = `${inner}.content[${index}]`
      return readResultContent(asObject(item, partPath), partPath)
    }),
    isError: readString(holder, 'status', inner) === 'error',
    ...toExtras(leftoversOf(holder, toolResult)),
  }
}

/** Reads the content of a tool result. JSON becomes text. */
function readResultContent(block: JsonObject, path: string): ToolResultContent {
  const { text, json, image, document, searchResult } = block
  if (text !== undefined) return { type: 'text', text: requireString(block, 'text', path) }
  if (json !== undefined) return { type: 'text', text: JSON.stringify(json) }
  if (image !== undefined) return readImage(block, path)
  if (document !== undefined) return readDocument(block, path)
  return searchResult === undefined ? opaque(block) : readSearchResult(block, path)
}

function readSearchResult(block: JsonObject, path: string): SearchResultBlock {
  const inner = joinPath(path, 'searchResult')
  const { source, title, content: _content, ...others } = requireObject(block, 'searchResult', path)
  const parts = readArray(requireObject(block, 'searchResult', path), 'content', inner) ?? []
  return {
    type: 'search-result',
    source: typeof source === 'string' ? source : '',
    title: typeof title === 'string' ? title : '',
    content: parts.map((part, index) => ({
      type: 'text',
      text: requireString(asObject(part, `${inner}.content[${index}]`), 'text', `${inner}.content[${index}]`),
    })),
    ...toExtras(Object.keys(others).length === 0 ? undefined : others),
  }
}

function readCited({ content, citations }: JsonObject): AssistantBlock {
  const words = isJsonArray(content) ? content.filter(isJsonObject) : []
  const sources = isJsonArray(citations) ? citations.filter(isJsonObject) : []
  const text = words.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join('')
  return { type: 'text', text, ...(sources.length === 0 ? {} : { citations: sources.map(readCitation) }) }
}
