import type { Tool, ToolChoice } from '../../../canonical/request.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { splitName } from './namespaced-name.ts'

type NamedTool = Exclude<Tool, { readonly type: 'hosted' }>

/**
 * Gives a tool choice the joined names under which the tools of namespaces are offered. A choice may name a tool
 * without its namespace, or a whole namespace.
 */
export function nameChoice(
  choice: ToolChoice | undefined,
  tools: readonly Tool[] = [],
): ToolChoice | undefined {
  const offered = tools.filter((tool) => tool.type !== 'hosted')
  if (choice?.type === 'tool') {
    const [tool] = findNamed(offered, choice)
    return tool === undefined ? choice : { ...choice, name: tool.name }
  }
  if (choice?.type !== 'allowed') return choice
  return { ...choice, tools: choice.tools.flatMap((entry) => nameEntry(entry, offered)) }
}

/** The tools of a name, else those of the name in any namespace or in the given one. */
function findNamed(
  tools: readonly NamedTool[],
  { name, namespace }: { readonly name: string; readonly namespace?: JsonValue | undefined },
): readonly NamedTool[] {
  const own = tools.filter((tool) => tool.name === name)
  if (own.length > 0 && namespace === undefined) return own
  return tools.filter((tool) => {
    const parts = splitName(tool.name)
    return parts?.name === name && (namespace === undefined || parts.namespace === namespace)
  })
}

function nameEntry(entry: JsonValue, tools: readonly NamedTool[]): readonly JsonValue[] {
  if (!isJsonObject(entry)) return [entry]
  const { type, name: ofNamespace, namespace } = entry
  if (type === 'namespace') {
    const within = tools.filter((tool) => splitName(tool.name)?.namespace === ofNamespace)
    return within.length === 0 ? [entry] : within.map(writeEntry)
  }
  const holder = type === 'function' || type === 'custom' ? entry[type] : undefined
  const name = isJsonObject(holder) ? holder['name'] : undefined
  const named = typeof name === 'string' ? findNamed(tools, { name, namespace }) : []
  return named.every((tool) => tool.name === name) ? [entry] : named.map(writeEntry)
}

/** The canonical form is the chat format's, where a tool's name is one level deeper. */
function writeEntry({ type, name }: NamedTool): JsonObject {
  return { type, [type]: { name } }
}
