import type { ChatRequest, Tool } from '../../../canonical/request.ts'
import { FREE_TEXT_PROPERTY } from '../../../canonical/restore-calls.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { loseExtras } from '../../fields/extras.ts'
import { loseMark } from '../../fields/lose.ts'
import { loseHostedTool } from '../../fields/write-opaque.ts'
import type { WriteContext } from './write-context.ts'
import { fitToolChoice, writeToolChoice } from './write-tool-choice.ts'

type FunctionTool = Extract<Tool, { readonly type: 'function' }>

type CustomTool = Extract<Tool, { readonly type: 'custom' }>

/** Writes tools and the tool choice. Without tools the choice is left out, since there is nothing to choose from. */
export function writeTools(request: ChatRequest, context: WriteContext): JsonObject {
  // The provider always allows parallel calls, and no field turns this off.
  if (request.parallelToolCalls === false) context.losses.lose('parallel-tool-calls', 'dropped')
  const { offered, choice } = fitToolChoice(request, context)
  const tools = offered.map((tool) => writeTool(tool, context)).filter((tool) => tool !== undefined)
  if (tools.length === 0) {
    if (choice !== undefined) context.losses.lose('tool-choice', 'dropped')
    return {}
  }
  return omitUndefined({
    tools,
    tool_choice: writeToolChoice(choice, context),
    strict_tools: writeStrict(offered, context),
  })
}

function writeTool(tool: Tool, context: WriteContext): JsonObject | undefined {
  switch (tool.type) {
    case 'function':
      return writeFunction(tool, context)
    case 'custom':
      return writeCustom(tool, context)
    case 'hosted':
      return loseHostedTool(tool.value, context.losses)
    default:
      return unreachable(tool)
  }
}

const noParameters: JsonObject = { type: 'object', properties: {} }

function writeFunction(tool: FunctionTool, context: WriteContext): JsonObject {
  const { name, description, parameters = noParameters, cache, extras } = tool
  loseMark(cache, context)
  loseExtras(extras, { losses: context.losses, path: 'tools' })
  return { type: 'function', function: omitUndefined({ name, description, parameters }) }
}

/** A tool with free-text input becomes a function with one string property. The format cannot enforce its grammar. */
function writeCustom({ name, description, grammar, extras }: CustomTool, context: WriteContext): JsonObject {
  context.losses.lose('custom-tool', 'approximated')
  if (grammar !== undefined) {
    context.losses.lose('custom-tool', 'dropped', 'tools.custom.format')
  }
  loseExtras(extras, { losses: context.losses, path: 'tools' })
  const parameters = {
    type: 'object',
    properties: { [FREE_TEXT_PROPERTY]: { type: 'string' } },
    required: [FREE_TEXT_PROPERTY],
  }
  return { type: 'function', function: omitUndefined({ name, description, parameters }) }
}

/** Writes strictness: for all tools or for none (https://docs.cohere.com/docs/structured-outputs, seen 2026-11-20). */
function writeStrict(tools: readonly Tool[], context: WriteContext): true | undefined {
  const functions = tools.filter((tool) => tool.type === 'function')
  const strict = functions.filter((tool) => tool.strict === true)
  if (strict.length === 0) return undefined
  if (strict.length === functions.length && functions.length === tools.length) return true
  context.losses.lose('tool-strict', 'dropped')
  return undefined
}
