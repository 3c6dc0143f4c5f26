import { isJsonArray, isJsonObject, type JsonObject } from '../../../src/kit/json/json.ts'
import { type AgentCall, type AgentTool, type AgentTurn, type Conversation, Refusal } from './conversation.ts'

/** The task of the scripted model: it reads two files in one step, writes a third from what it read, and says so. */
export interface AgentTask {
  readonly read: readonly string[]
  readonly write: string
}

export const finalText = 'Both files are read and the third is written.'

export const payloadMark = '«'

/** The part of a file that goes into the written one. Clients number the lines of what they read, so it is marked. */
export function markPayload(payload: string): string {
  return `first line\n${payloadMark}${payload}»\nlast line\n`
}

/** The bytes that the third file must have. */
export function writtenContent(payloads: readonly string[]): string {
  return payloads.map((payload) => `${payload}\n`).join('')
}

/** The next answer, decided by the conversation alone, so that a request sent twice is answered alike. */
export function playTurn({ tools, rounds }: Conversation, task: AgentTask): AgentTurn {
  if (tools.length === 0) return { text: 'A title', calls: [] }
  const shell = tools.find(({ name }) => /^(shell(_command)?|exec_command)$/i.test(name))
  const readTool = findTool(tools, /^read(_?files?)?$/i, shell)
  const writeTool = findTool(tools, /^(write(_?(to_?)?file)?|editor)$/i, shell)
  const last = rounds.at(-1)
  if (last === undefined) {
    const calls = task.read.map((path, index) => readCall(readTool, path, index))
    return { text: 'I read both files first. ✓', calls }
  }
  // Both files are read in one step, and a shell does both.
  const isWritten = readTool === writeTool ? last.calls.length < task.read.length : undefined
  if (isWritten ?? last.calls.every(({ name }) => name === writeTool.name)) {
    return { text: finalText, calls: [] }
  }
  const payloads = last.calls.map(({ id }) =>
    readPayload(last.results.find(({ callId }) => callId === id)?.text),
  )
  return { text: '', calls: [writeCall(writeTool, task.write, writtenContent(payloads))] }
}

function findTool(tools: readonly AgentTool[], names: RegExp, shell: AgentTool | undefined): AgentTool {
  const found = tools.find(({ name }) => names.test(name)) ?? shell
  if (found === undefined)
    throw new Refusal(`no tool is named like ${names}: ${tools.map((tool) => tool.name)}`)
  return found
}

function readCall(tool: AgentTool, path: string, index: number): AgentCall {
  return { id: `call_read_${index}`, name: tool.name, input: fillEither(tool, { path }, `cat '${path}'`) }
}

function writeCall(tool: AgentTool, path: string, content: string): AgentCall {
  // Any bytes, whatever the shell makes of quotes.
  const command = `printf %s ${Buffer.from(content).toString('base64')} | base64 -d > '${path}'`
  return { id: 'call_write', name: tool.name, input: fillEither(tool, { path, content }, command) }
}

/** A shell gets the command, under whichever of its names; every other tool its own properties. */
function fillEither(tool: AgentTool, values: Readonly<Record<string, string>>, command: string): JsonObject {
  const name = Object.keys(propertiesOf(tool.schema)).find((one) => /^(cmd|command)$/.test(one))
  return name === undefined ? fill(tool, values) : { [name]: command }
}

function readPayload(text: string | undefined): string {
  const payload = stringsOf(text)
    .join('\n')
    .match(/«(.*)»/)?.[1]
  if (payload === undefined) throw new Refusal(`a tool result does not hold the marked line: ${text}`)
  return payload
}

/** The text itself, or all that is said in it where it is a JSON document, as some clients wrap what they read. */
function stringsOf(text: string | undefined): readonly string[] {
  const said: string[] = []
  try {
    JSON.parse(text ?? '', (_key, value: unknown) => {
      if (typeof value === 'string') said.push(value)
    })
    return said
  } catch {
    return [text ?? '']
  }
}

/** Fills the tool's properties by the words in their names. A list of things to do gets one of them. */
function fill({ name, schema }: AgentTool, values: Readonly<Record<string, string>>): JsonObject {
  const listed = Object.entries(propertiesOf(schema)).find(([, property]) => hasProperties(itemsOf(property)))
  if (listed !== undefined) {
    const [list, property] = listed
    return { [list]: [fill({ name, schema: itemsOf(property) }, values)] }
  }
  const properties = Object.keys(propertiesOf(schema))
  const input: Record<string, string> = {}
  for (const [word, value] of Object.entries(values)) {
    const property = properties.find((one) => wordsOf[word]?.test(one))
    if (property === undefined) throw new Refusal(`the tool ${name} has no property for "${word}"`)
    input[property] = value
  }
  const required = isJsonArray(schema['required']) ? schema['required'] : []
  const missing = required.filter((one) => typeof one === 'string' && !Object.hasOwn(input, one))
  if (missing.length > 0) throw new Refusal(`the script knows no value for ${missing} of the tool ${name}`)
  return input
}

const wordsOf: Readonly<Record<string, RegExp>> = { path: /path/i, content: /content|new_text/i }

function propertiesOf(schema: JsonObject): JsonObject {
  return isJsonObject(schema['properties']) ? schema['properties'] : {}
}

function hasProperties(schema: JsonObject): boolean {
  return Object.keys(propertiesOf(schema)).length > 0
}

function itemsOf(property: unknown): JsonObject {
  const items = isJsonObject(property) ? property['items'] : undefined
  return isJsonObject(items) ? items : {}
}
