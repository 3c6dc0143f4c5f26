import type { ChatRequest, Tool, ToolChoice } from '../../canonical/request.ts'
import { FREE_TEXT_PROPERTY } from '../../canonical/restore-calls.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json.ts'
import { omitUndefined } from '../../kit/omit-undefined.ts'
import { unreachable } from '../../kit/unreachable.ts'
import { loseExtras } from '../chat/write-extras.ts'
import { fitToolName } from './fit-tool-name.ts'
import { lose, loseMark, type WriteContext } from './write-context.ts'

type FunctionTool = Extract<Tool, { readonly type: 'function' }>
type CustomTool = Extract<Tool, { readonly type: 'custom' }>

/** Tools and what goes with them. Without tools the choice is left out, since it would choose among none. */
export function writeTools(request: ChatRequest, context: WriteContext): JsonObject {
  const { toolChoice, parallelToolCalls } = request
  // Several calls at once are what the provider does; one at a time cannot be asked for.
  if (parallelToolCalls === false) lose(context, 'parallel-tool-calls', 'dropped')
  const offered = choosable(request, context)
  const tools = offered.map((tool) => writeTool(tool, context)).filter((tool) => tool !== undefined)
  if (tools.length === 0) {
    if (toolChoice !== undefined) lose(context, 'tool-choice', 'dropped')
    return {}
  }
  return omitUndefined({
    tools,
    tool_choice: writeToolChoice(toolChoice, context),
    strict_tools: writeStrict(offered, context),
  })
}

/**
 * The tools that are offered. Where the choice names some alone, only those are: the format has no other word for it;
 * and where no choice is understood, offering none is how to forbid calls.
 */
function choosable({ tools = [], toolChoice }: ChatRequest, { dialect }: WriteContext): readonly Tool[] {
  if (toolChoice?.type === 'none' && dialect.toolChoices === 'auto') return []
  const names = namesOf(toolChoice)
  if (names === undefined) return tools
  return tools.filter((tool) => tool.type !== 'hosted' && names.includes(tool.name))
}

function namesOf(choice: ToolChoice | undefined): readonly string[] | undefined {
  if (choice?.type === 'tool') return [choice.name]
  return choice?.type === 'allowed'
    ? choice.tools.map((entry) => fitToolName(readAllowedName(entry)))
    : undefined
}

function readAllowedName(entry: JsonValue): string {
  if (!isJsonObject(entry)) return ''
  const holder = entry['function'] ?? entry['custom']
  const name = isJsonObject(holder) ? holder['name'] : entry['name']
  return typeof name === 'string' ? name : ''
}

function writeTool(tool: Tool, context: WriteContext): JsonObject | undefined {
  switch (tool.type) {
    case 'function':
      return writeFunction(tool, context)
    case 'custom':
      return writeCustom(tool, context)
    case 'hosted': {
      const type = tool.value['type']
      const field = typeof type === 'string' ? type : 'unknown'
      context.losses.add({ feature: 'foreign-tool', kind: 'dropped', field })
      return undefined
    }
    default:
      return unreachable(tool)
  }
}

const noParameters: JsonObject = { type: 'object', properties: {} }

function writeFunction(tool: FunctionTool, context: WriteContext): JsonObject {
  const { name, description, parameters = noParameters, cache, extras } = tool
  loseMark(cache, context)
  loseExtras(extras, { losses: context.losses, place: 'tools' })
  return { type: 'function', function: omitUndefined({ name, description, parameters }) }
}

/** A tool that takes free text becomes one with a single property of text; its grammar cannot be demanded. */
function writeCustom({ name, description, grammar, extras }: CustomTool, context: WriteContext): JsonObject {
  lose(context, 'custom-tool', 'approximated')
  if (grammar !== undefined) {
    context.losses.add({ feature: 'custom-tool', kind: 'dropped', field: 'tools.custom.format' })
  }
  loseExtras(extras, { losses: context.losses, place: 'tools' })
  const parameters = {
    type: 'object',
    properties: { [FREE_TEXT_PROPERTY]: { type: 'string' } },
    required: [FREE_TEXT_PROPERTY],
  }
  return { type: 'function', function: omitUndefined({ name, description, parameters }) }
}

function writeToolChoice(choice: ToolChoice | undefined, context: WriteContext): string | undefined {
  if (choice === undefined || choice.type === 'auto') return undefined
  if (choice.type === 'none') return 'NONE'
  if (choice.type === 'allowed') lose(context, 'allowed-tools', 'approximated')
  if (choice.type === 'tool') lose(context, 'tool-choice', 'approximated')
  if (choice.type === 'allowed' && choice.mode === 'auto') return undefined
  if (context.dialect.toolChoices !== 'auto') return 'REQUIRED'
  lose(context, 'tool-choice', 'approximated')
  return undefined
}

/** All tools are held to their schemas, or none (https://docs.cohere.com/docs/structured-outputs, seen 2026-11-20). */
function writeStrict(tools: readonly Tool[], context: WriteContext): true | undefined {
  const functions = tools.filter((tool) => tool.type === 'function')
  const strict = functions.filter((tool) => tool.strict === true)
  if (strict.length === 0) return undefined
  if (strict.length === functions.length && functions.length === tools.length) return true
  lose(context, 'tool-strict', 'dropped')
  return undefined
}
