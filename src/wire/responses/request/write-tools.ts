import type { LossList } from '../../../canonical/loss.ts'
import type { ChatRequest, Tool } from '../../../canonical/request.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { loseMark } from '../../fields/lose.ts'
import { loseHostedTool } from '../../fields/write-opaque.ts'
import { completeParameters } from '../../tools/complete-parameters.ts'
import { withExtras } from '../values/extras.ts'
import { writeToolChoice } from './write-tool-choice.ts'

/**
 * Writes the tools, the tool choice and the parallel switch. Without tools, the choice and the switch are left out,
 * which is declared.
 */
export function writeTools(request: ChatRequest, losses: LossList): JsonObject {
  const { tools = [], toolChoice, parallelToolCalls } = request
  const written = tools.map((tool) => writeTool(tool, losses)).filter((tool) => tool !== undefined)
  if (written.length === 0) {
    if (toolChoice !== undefined) losses.lose('tool-choice', 'dropped')
    if (parallelToolCalls !== undefined) losses.lose('parallel-tool-calls', 'dropped')
    return {}
  }
  return omitUndefined({
    tools: written,
    tool_choice: toolChoice === undefined ? undefined : writeToolChoice(toolChoice),
    parallel_tool_calls: parallelToolCalls,
  })
}

function writeTool(tool: Tool, losses: LossList): JsonObject | undefined {
  switch (tool.type) {
    case 'function':
      return writeFunction(tool, losses)
    case 'custom': {
      const { name, description, grammar, extras } = tool
      const format = grammar === undefined ? undefined : flattenGrammar(grammar)
      const written = omitUndefined({ type: 'custom', name, description, format })
      return withExtras(written, extras, { losses, path: 'tools' })
    }
    case 'hosted':
      return tool.format === 'responses' ? tool.value : loseHostedTool(tool.value, losses)
    default:
      return unreachable(tool)
  }
}

/** Functions are strict by default in this format. The other formats have the opposite default. */
function writeFunction(tool: Extract<Tool, { readonly type: 'function' }>, losses: LossList): JsonObject {
  const { name, description, parameters, strict, cache, extras } = tool
  loseMark(cache, { losses })
  if (strict === undefined) losses.lose('tool-strict', 'defaulted')
  const written = omitUndefined({
    type: 'function',
    name,
    description,
    parameters: parameters === undefined ? null : completeParameters(parameters, losses),
    strict: strict ?? false,
  })
  return withExtras(written, extras, { losses, path: 'tools' })
}

/** Moves a grammar's fields next to its type, where this format has them. */
function flattenGrammar(format: JsonObject): JsonObject {
  const { type, grammar } = format
  return type === 'grammar' && isJsonObject(grammar) ? { ...grammar, type } : format
}
