import type { ToolCallBlock } from '../../../canonical/content.ts'
import type { ChatRequest, Tool, ToolChoice, Turn } from '../../../canonical/request.ts'
import { type CallerTool, type CallerTools, FREE_TEXT_PROPERTY } from '../../../canonical/restore-calls.ts'
import { isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { loseExtras } from '../../fields/extras.ts'
import type { WriteContext } from './write-context.ts'

export interface FittedRequest {
  readonly request: ChatRequest
  /** The tools that the caller defined as tools of free text. */
  readonly callerTools: CallerTools
}

type CustomTool = Extract<Tool, { readonly type: 'custom' }>

const noTools: CallerTools = new Map()

/**
 * Turns tools of free text into functions with one text parameter, for servers that know only functions. The list of
 * tools, the tool choice and earlier calls all change. Calls in the answer become free text again. A grammar cannot be
 * enforced.
 */
export function fitCustomTools(request: ChatRequest, context: WriteContext): FittedRequest {
  if (context.dialect.customTools) return { request, callerTools: noTools }
  const custom = (request.tools ?? []).filter((tool) => tool.type === 'custom')
  const turns = request.turns.map((turn) => fitTurn(turn, context))
  const isFit = custom.length === 0 && turns.every((turn, index) => turn === request.turns[index])
  const { toolChoice: choice } = request
  if (isFit && choice?.type !== 'tool' && choice?.type !== 'allowed') return { request, callerTools: noTools }
  return {
    request: {
      ...request,
      turns,
      ...(request.tools && { tools: request.tools.map((tool) => fitTool(tool, context)) }),
      ...(choice && { toolChoice: fitChoice(choice) }),
    },
    callerTools: new Map(custom.map(({ name }): [string, CallerTool] => [name, { name, kind: 'custom' }])),
  }
}

function fitTool(tool: Tool, context: WriteContext): Tool {
  return tool.type === 'custom' ? toFunction(tool, context) : tool
}

function toFunction({ name, description, grammar, extras }: CustomTool, context: WriteContext): Tool {
  context.losses.lose('custom-tool', 'approximated')
  if (grammar !== undefined) {
    context.losses.lose('custom-tool', 'dropped', 'tools.custom.format')
  }
  loseExtras(extras, { losses: context.losses, path: 'tools' })
  return {
    type: 'function',
    name,
    ...(description === undefined ? {} : { description }),
    parameters: {
      type: 'object',
      properties: { [FREE_TEXT_PROPERTY]: { type: 'string' } },
      required: [FREE_TEXT_PROPERTY],
    },
  }
}

function fitChoice(choice: ToolChoice): ToolChoice {
  if (choice.type === 'tool') return { ...choice, kind: 'function' }
  return choice.type === 'allowed' ? { ...choice, tools: choice.tools.map(fitAllowed) } : choice
}

function fitAllowed(entry: JsonValue): JsonValue {
  if (!isJsonObject(entry) || entry['type'] !== 'custom') return entry
  const { custom = {}, ...more } = entry
  return { ...more, type: 'function', function: custom }
}

function fitTurn(turn: Turn, context: WriteContext): Turn {
  if (turn.role !== 'assistant' || !turn.content.some(isCustomCall)) return turn
  context.losses.lose('custom-tool', 'approximated')
  return { ...turn, content: turn.content.map((block) => (isCustomCall(block) ? fitCall(block) : block)) }
}

function isCustomCall(block: {
  readonly type: string
}): block is ToolCallBlock & { readonly kind: 'custom' } {
  return block.type === 'tool-call' && 'kind' in block && block.kind === 'custom'
}

function fitCall(call: ToolCallBlock): ToolCallBlock {
  return { ...call, kind: 'function', input: JSON.stringify({ [FREE_TEXT_PROPERTY]: call.input }) }
}
