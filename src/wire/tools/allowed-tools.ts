import type { ChatRequest, Tool, ToolChoice } from '../../canonical/request.ts'
import { isJsonObject, type JsonValue } from '../../kit/json/json.ts'
import { fitCallId } from './fit-call-id.ts'
import type { FitName } from './fit-tool-names.ts'

/**
 * Returns the names that a tool choice allows, in the characters that the provider accepts. An entry without a name
 * allows nothing.
 */
export function readAllowedNames(
  entries: readonly JsonValue[],
  fitName: FitName = fitCallId,
): readonly string[] {
  return entries
    .map(readName)
    .filter((name) => name !== '')
    .map(fitName)
}

/** Whether a choice allows only tools that another provider runs. The functions of the request may not be called. */
export function allowsNoFunction(choice: ToolChoice): boolean {
  return choice.type === 'allowed' && readAllowedNames(choice.tools).length === 0
}

function readName(entry: JsonValue): string {
  if (!isJsonObject(entry)) return ''
  const holder = entry['function'] ?? entry['custom']
  const name = isJsonObject(holder) ? holder['name'] : entry['name']
  return typeof name === 'string' ? name : ''
}

/**
 * Returns the tools to offer. Where the choice allows only some tools and the format has no field for that, only those
 * tools are offered.
 */
export function listOfferedTools({ tools = [], toolChoice }: ChatRequest): readonly Tool[] {
  if (toolChoice?.type !== 'allowed') return tools
  const names = new Set(readAllowedNames(toolChoice.tools))
  return tools.filter((tool) => tool.type === 'hosted' || names.has(tool.name))
}
