import type {
  AssistantBlock,
  RedactedThinkingBlock,
  ThinkingBlock,
  ToolCallBlock,
} from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { Turn } from '../../../canonical/request.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeOpaque } from '../../fields/write-opaque.ts'
import { writeToolInput } from '../../tools/write-tool-input.ts'
import { withExtras } from '../values/extras.ts'
import { writeText } from './write-content.ts'
import type { TurnTarget } from './write-context.ts'
import { writeAudio, writeImage } from './write-media.ts'
import { signatureOf, writeThinking } from './write-thinking.ts'

/** Writes a block of the model as a part. Reasoning is written elsewhere. */
function writeModelPart(
  block: Exclude<AssistantBlock, ThinkingBlock | RedactedThinkingBlock>,
  losses: LossList,
): JsonObject | undefined {
  switch (block.type) {
    case 'text':
      return writeText(block, losses)
    case 'refusal':
      losses.lose('refusal', 'approximated')
      return writeText({ ...block, type: 'text' }, losses)
    case 'tool-call':
      return writeCall(block, losses)
    case 'image':
      return writeImage(block, losses)
    case 'audio':
      return writeAudio(block, losses)
    case 'opaque':
      return writeOpaque(block, 'gemini', losses)
    default:
      return unreachable(block)
  }
}

function writeCall(call: ToolCallBlock, losses: LossList): JsonObject {
  const { id, name, cache, extras } = call
  if (cache !== undefined) losses.lose('cache-mark', 'dropped')
  const written = { functionCall: { id, name, args: writeToolInput(call, losses) } }
  return withExtras(written, extras, { losses, path: 'messages.tool_calls' })
}

type AssistantTurn = Extract<Turn, { readonly role: 'assistant' }>

export function writeAssistant(turn: AssistantTurn, target: TurnTarget): readonly JsonObject[] {
  const { losses, names } = target
  const parts: JsonObject[] = []
  let signature: string | undefined
  for (const block of turn.content) {
    if (block.type === 'tool-call') names.set(block.id, block.name)
    const own = signatureOf(block, losses)
    if (own !== undefined) {
      if (signature !== undefined) parts.push({ text: '', thoughtSignature: signature })
      signature = own
      continue
    }
    const part = writeBlock(block, losses)
    if (part === undefined) continue
    const isSigned = signature !== undefined && block.type !== 'thinking'
    parts.push(isSigned ? { ...part, thoughtSignature: signature ?? '' } : part)
    if (isSigned) signature = undefined
  }
  if (signature !== undefined) parts.push({ text: '', thoughtSignature: signature })
  return parts
}

function writeBlock(block: AssistantBlock, losses: LossList): JsonObject | undefined {
  if (block.type === 'redacted-thinking') return undefined
  return block.type === 'thinking' ? writeThinking(block, losses) : writeModelPart(block, losses)
}
