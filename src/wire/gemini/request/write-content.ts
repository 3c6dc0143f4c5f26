import { isGeminiReasoning } from '../../../canonical/carried-reasoning.ts'
import type {
  AssistantBlock,
  OpaqueBlock,
  RedactedThinkingBlock,
  SearchResultBlock,
  SystemBlock,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  UserBlock,
} from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { unreachable } from '../../../kit/values/unreachable.ts'
import { loseExtras } from '../../fields/extras.ts'
import { writeToolInput } from '../../fields/write-tool-input.ts'
import { withExtras } from '../values/extras.ts'
import { writeAudio, writeDocument, writeImage, writeVideo } from './write-media.ts'

const PATH = 'messages.content'

/** The part for a block of the user's or the system's; undefined where the format has none, declared. */
export function writeInputPart(block: UserBlock | SystemBlock, losses: LossList): JsonObject | undefined {
  switch (block.type) {
    case 'text':
      return writeText(block, losses)
    case 'image':
      return writeImage(block, losses)
    case 'document':
      return writeDocument(block, losses)
    case 'audio':
      return writeAudio(block, losses)
    case 'video':
      return writeVideo(block, losses)
    case 'search-result':
      return writeSearchResult(block, losses)
    case 'opaque':
      return writeOpaque(block, losses)
    default:
      return unreachable(block)
  }
}

/** The part for a block of the model's, but for reasoning. */
export function writeModelPart(
  block: Exclude<AssistantBlock, ThinkingBlock | RedactedThinkingBlock>,
  losses: LossList,
): JsonObject | undefined {
  switch (block.type) {
    case 'text':
      return writeText(block, losses)
    case 'refusal':
      losses.add({ feature: 'refusal', kind: 'approximated' })
      return writeText({ ...block, type: 'text' }, losses)
    case 'tool-call':
      return writeCall(block, losses)
    case 'image':
      return writeImage(block, losses)
    case 'audio':
      return writeAudio(block, losses)
    case 'opaque':
      return writeOpaque(block, losses)
    default:
      return unreachable(block)
  }
}

/** The service refuses a part without words. */
function writeText(
  { text, citations = [], cache, extras }: TextBlock,
  losses: LossList,
): JsonObject | undefined {
  if (cache !== undefined) losses.add({ feature: 'cache-mark', kind: 'dropped' })
  if (citations.length > 0) losses.add({ feature: 'citations', kind: 'dropped' })
  if (text === '' && extras === undefined) return undefined
  return withExtras({ text }, extras, { losses, path: PATH })
}

function writeCall(call: ToolCallBlock, losses: LossList): JsonObject {
  const { id, name, cache, extras } = call
  if (cache !== undefined) losses.add({ feature: 'cache-mark', kind: 'dropped' })
  const written = { functionCall: { id, name, args: writeToolInput(call, losses) } }
  return withExtras(written, extras, { losses, path: 'messages.tool_calls' })
}

/** A thought that this format's provider signed; others mean nothing to it. Undefined where it is left out, declared. */
export function writeThought(block: ThinkingBlock, losses: LossList): JsonObject | undefined {
  if (block.signature === undefined || !isGeminiReasoning(block)) {
    losses.add({ feature: 'thinking', kind: 'dropped' })
    return undefined
  }
  const { extras } = block
  const own = extras?.format === 'gemini' ? extras : undefined
  const written = { text: block.text, thought: true, thoughtSignature: block.signature }
  return withExtras(written, own, { losses, path: PATH })
}

export function writeSearchResult(block: SearchResultBlock, losses: LossList): JsonObject {
  losses.add({ feature: 'search-result', kind: 'approximated' })
  for (const inner of [block, ...block.content]) {
    if (inner.cache !== undefined) losses.add({ feature: 'cache-mark', kind: 'dropped' })
    if (inner !== block) loseExtras(inner.extras, { losses, path: PATH })
  }
  const texts = block.content.map((inner) => inner.text)
  const text = [`${block.title}\n${block.source}`, ...texts].join('\n\n')
  return withExtras({ text }, block.extras, { losses, path: PATH })
}

export function writeOpaque(block: OpaqueBlock, losses: LossList): JsonObject | undefined {
  if (block.format === 'gemini') return block.value
  const kind = block.name ?? block.value['type']
  losses.add({
    feature: 'foreign-block',
    kind: 'dropped',
    field: typeof kind === 'string' ? kind : 'unknown',
  })
  return undefined
}
