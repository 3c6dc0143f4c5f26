import type { ToolResultBlock, ToolResultContent } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeOpaque } from '../../fields/write-opaque.ts'
import { withExtras } from '../values/extras.ts'
import { writeDocument, writeSearchResult } from './write-document.ts'
import { writeImage } from './write-media.ts'

export interface ResultTarget {
  /** Function names by call ID. */
  readonly names: ReadonlyMap<string, string>
  /** Whether the result itself may hold media. If not, media become parts after the result. */
  readonly mediaResults: boolean
  readonly losses: LossList
}

/**
 * Writes a function's result as `output` or `error` (https://ai.google.dev/api/caching#FunctionResponse, seen
 * 2026-11-20). Content that does not fit into the result becomes parts after it.
 */
export function writeToolResult(
  result: ToolResultBlock,
  { names, mediaResults, losses }: ResultTarget,
): readonly JsonObject[] {
  const { callId, content, isError, cache, extras } = result
  if (cache !== undefined) losses.lose('cache-mark', 'dropped')
  const texts = content.filter(isText)
  const media = content.filter((block) => !isText(block))
  const isInOrder = content.every((block, index) => isText(block) === index < texts.length)
  if (texts.length > 1 || !isInOrder) losses.lose('tool-result-content', 'approximated')
  const text = texts.map((block) => textOf(block, losses)).join('\n')
  const parts = media.map((block) => writeMedia(block, losses)).filter((part) => part !== undefined)
  const inner = mediaResults ? parts.filter(isInner) : []
  const outer = mediaResults ? parts.filter((part) => !isInner(part)) : parts
  if (outer.length > 0) losses.lose('tool-result-content', 'approximated')
  const response = {
    id: callId,
    name: names.get(callId) ?? callId,
    response: { [isError ? 'error' : 'output']: text },
    ...(inner.length > 0 ? { parts: inner } : {}),
  }
  const written = withExtras({ functionResponse: response }, extras, { losses, path: 'messages' })
  return [written, ...outer]
}

function isText(block: ToolResultContent): boolean {
  if (block.type === 'document') return block.source.type === 'text'
  return block.type === 'text' || block.type === 'search-result'
}

/**
 * Whether a part may be within a result: the Gemini API takes bytes there, and neither text nor files by their address
 * (types of @google/genai 3.1.0, seen 2026-11-29).
 */
function isInner({ text, fileData }: JsonObject): boolean {
  return text === undefined && fileData === undefined
}

function textOf(block: ToolResultContent, losses: LossList): string {
  if (block.type === 'search-result') return wordsOf(writeSearchResult(block, losses))
  if (block.type === 'document') return wordsOf(writeDocument(block, losses) ?? {})
  if (block.type !== 'text') return ''
  if (block.cache !== undefined) losses.lose('cache-mark', 'dropped')
  if (block.citations !== undefined) losses.lose('citations', 'dropped')
  // The text has no part of its own, so its extra fields are lost, even fields of this format.
  for (const name of Object.keys(block.extras?.fields ?? {})) {
    losses.lose('foreign-field', 'dropped', `messages.content.${name}`)
  }
  return block.text
}

function wordsOf({ text }: JsonObject): string {
  return typeof text === 'string' ? text : ''
}

function writeMedia(block: ToolResultContent, losses: LossList): JsonObject | undefined {
  switch (block.type) {
    case 'image':
      return writeImage(block, losses)
    case 'document':
      return writeDocument(block, losses)
    case 'opaque':
      return writeOpaque(block, 'gemini', losses)
    default:
      return undefined
  }
}
