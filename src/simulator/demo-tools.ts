import { isJsonObject, type JsonObject } from '../kit/json/json.ts'
import { createSchemaInstance, type TextHint } from './create-schema-instance.ts'
import type { DemoMessage, DemoRequest, DemoTool } from './demo-request.ts'

export interface DemoCall {
  readonly name: string
  readonly arguments: JsonObject
}

/**
 * Plans the tool calls: tools that the caller demands, or tools that the question names together with a word such as
 * "use". Right after tool results it calls none, unless one is demanded, so that agents finish.
 */
export function planToolCalls(request: DemoRequest, question: string): readonly DemoCall[] {
  const { tools, toolChoice } = request
  const picked = 'name' in toolChoice ? toolsNamed(tools, toolChoice.name) : pickTools(request, question)
  const allowed = request.parallelToolCalls ? picked : picked.slice(0, 1)
  return allowed.map((tool) => ({ name: tool.name, arguments: plausibleArguments(tool, question) }))
}

function toolsNamed(tools: readonly DemoTool[], name: string): readonly DemoTool[] {
  return tools.filter((tool) => tool.name === name).slice(0, 1)
}

function pickTools(request: DemoRequest, question: string): readonly DemoTool[] {
  const { tools, toolChoice } = request
  const mode = 'mode' in toolChoice ? toolChoice.mode : 'auto'
  if (mode === 'none') return []
  const isAnswered = resultsOf(request.messages).length > 0
  const asksForUse = /\b(use|using|call|run|invoke|try)\b/i.test(question)
  const named = asksForUse && !isAnswered ? tools.filter((tool) => isNamed(question, tool.name)) : []
  return named.length === 0 && mode === 'required' ? tools.slice(0, 1) : named
}

/** The tool results after the assistant's last turn. */
export function resultsOf(messages: readonly DemoMessage[]): readonly DemoMessage[] {
  const lastTurn = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages.slice(lastTurn + 1).filter(({ role }) => role === 'tool')
}

/** Whether the question contains the name as a separate word. A search for an empty name would never end. */
function isNamed(question: string, name: string): boolean {
  if (name === '') return false
  const text = question.toLowerCase()
  const wanted = name.toLowerCase()
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + wanted.length] ?? ' '}`
    if (!/[\p{L}\p{N}_-]/u.test(around)) return true
  }
  return false
}

const usualTexts: readonly (readonly [RegExp, string])[] = [
  [/path|file/i, 'README.md'],
  [/dir|folder/i, '.'],
  [/command|cmd/i, 'echo hello'],
  [/city|location|place/i, 'Paris'],
  [/country/i, 'France'],
  [/url|uri|link/i, 'https://example.com/'],
  [/email/i, 'ada@example.com'],
  [/date|day/i, '2026-01-01'],
  [/pattern|glob/i, '*'],
  [/name|user|author/i, 'Ada'],
  [/unit/i, 'celsius'],
]

/** Makes arguments that the schema allows. Quoted texts in the question are used first, in order. */
function plausibleArguments(tool: DemoTool, question: string): JsonObject {
  const quoted = [...question.matchAll(/"([^"\n]+)"|`([^`\n]+)`|“([^“”\n]+)”/g)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((text) => text.toLowerCase() !== tool.name.toLowerCase())
  const hint: TextHint = (name) =>
    quoted.shift() ?? usualTexts.find(([pattern]) => pattern.test(name))?.[1] ?? question.slice(0, 200)
  const value = createSchemaInstance({ ...tool.parameters, type: 'object' }, hint)
  return isJsonObject(value) ? value : {}
}
