import type {
  DocumentBlock,
  SearchResultBlock,
  ToolResultBlock,
  ToolResultContent,
} from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { loseExtras } from '../../fields/extras.ts'
import { loseMark } from '../../fields/lose.ts'
import { saysError } from '../../fields/says-error.ts'
import { contentOf, writeContent } from './write-content.ts'
import { plainTextOf, type WriteContext } from './write-context.ts'

/**
 * Writes one message for each result. A result holds texts and documents, which the answer can cite. Images follow in a
 * user message.
 */
export function writeToolResults(
  results: readonly ToolResultBlock[],
  context: WriteContext,
): readonly JsonObject[] {
  const messages = results.map((result) => writeResult(result, context))
  const moved = results.flatMap((result) => writeMoved(result, context))
  return moved.length === 0 ? messages : [...messages, { role: 'user', content: moved }]
}

function writeResult(result: ToolResultBlock, context: WriteContext): JsonObject {
  loseMark(result.cache, context)
  loseExtras(result.extras, { losses: context.losses, path: 'messages' })
  if (result.isError) context.losses.lose('tool-result-error', 'approximated')
  const parts = result.content
    .filter((block) => block.type !== 'image')
    .map((block) => writeResultContent(block, context))
    .filter((part) => part !== undefined)
  const marked = result.isError ? withErrorWord(parts) : parts
  return { role: 'tool', tool_call_id: result.callId, content: marked.length === 0 ? '' : contentOf(marked) }
}

function writeResultContent(block: ToolResultContent, context: WriteContext): JsonObject | undefined {
  if (block.type === 'search-result') return writeSearchResult(block, context)
  if (block.type !== 'document' || block.source.type !== 'text') return writeContent(block, context)
  return writeDocument(block, block.source.text, context)
}

/** Writes a document. Field names are free, but citations in answers return only `title`, `text` and `url`. */
function writeDocument(
  { title, context: background, cache, extras }: DocumentBlock,
  text: string,
  context: WriteContext,
): JsonObject {
  loseMark(cache, context)
  loseExtras(extras, { losses: context.losses, path: 'messages.content' })
  return { type: 'document', document: { data: omitUndefined({ title, context: background, text }) } }
}

function writeSearchResult(block: SearchResultBlock, context: WriteContext): JsonObject {
  const { title, source, content, cache, extras } = block
  loseMark(cache, context)
  loseExtras(extras, { losses: context.losses, path: 'messages.content' })
  for (const inner of content) {
    loseMark(inner.cache, context)
    loseExtras(inner.extras, { losses: context.losses, path: 'messages.content' })
  }
  if (content.length > 1) context.losses.lose('search-result', 'approximated')
  const text = content.map((inner) => plainTextOf(inner, context)).join('\n\n')
  return { type: 'document', document: { data: { title, text, url: source } } }
}

/** Writes the images of a result as a user message. A text before the images names their call. */
function writeMoved({ callId, content }: ToolResultBlock, context: WriteContext): readonly JsonObject[] {
  const moved = content
    .filter((block) => block.type === 'image')
    .map((block) => writeContent(block, context))
    .filter((part) => part !== undefined)
  if (moved.length === 0) return []
  context.losses.lose('tool-result-content', 'approximated')
  return [{ type: 'text', text: `Attached to the result of the tool call ${callId}:` }, ...moved]
}

/** Marks a result as failed. The format has no field for this, so the text gets "Error" in front unless it has it. */
function withErrorWord(parts: readonly JsonObject[]): readonly JsonObject[] {
  const [first, ...rest] = parts
  const text = first?.['text']
  if (typeof text !== 'string') return [{ type: 'text', text: 'Error' }, ...parts]
  return saysError(text) ? parts : [{ ...first, text: `Error: ${text}` }, ...rest]
}
