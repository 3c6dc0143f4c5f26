import type { ToolResultBlock, ToolResultContent } from '../../../canonical/content.ts'
import { WaitingItems } from '../../../kit/collections/waiting-items.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { asObject, joinPath, readArray, readString, requireString } from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { withOwnNames } from './own-names.ts'
import { readMedia } from './read-media.ts'
import { functionResponseFields, partFields } from './request-fields.ts'

const known = knownFields(partFields)
const functionResponse = knownFields(functionResponseFields)

/** A call that waits for its result. */
export interface OpenCall {
  readonly id: string
  readonly name: string
}

/** Calls that no result has answered yet. */
export class OpenCalls {
  readonly #waiting = new WaitingItems<OpenCall>()

  add(call: OpenCall): void {
    this.#waiting.add(call, [`id ${call.id}`, `name ${call.name}`])
  }

  shiftById(id: string): OpenCall | undefined {
    return this.#waiting.shift(`id ${id}`)
  }

  shiftByName(name: string): OpenCall | undefined {
    return this.#waiting.shift(`name ${name}`)
  }
}

/**
 * Reads a tool's result. The result answers the open call with the same ID or, if the result has no ID, the first open
 * call with the same name. That call is removed from `open`.
 */
export function readResult(source: JsonObject, partPath: string, open: OpenCalls): ToolResultBlock {
  const part = withOwnNames(source, partFields)
  const path = joinPath(partPath, 'functionResponse')
  const holder = withOwnNames(asObject(part['functionResponse'], path), functionResponseFields)
  const name = requireString(holder, 'name', path)
  const id = readString(holder, 'id', path) ?? ''
  const call = id === '' ? open.shiftByName(name) : open.shiftById(id)
  const { content, isError } = readResponse(holder['response'], name)
  return {
    type: 'tool-result',
    callId: call?.id ?? (id === '' ? name : id),
    content: [...content, ...readMediaParts(holder, path)],
    isError,
    ...toExtras(leftoversOf(part, known), { functionResponse: leftoversOf(holder, functionResponse) }),
  }
}

/**
 * Reads the value that the tool returned. It is in `output` or `error`, in `result` (where Google's own SDKs put a
 * function's return value), or in `content` next to the function's name (the shape of the Vercel AI SDK). Any other
 * object is the value itself.
 */
function readResponse(
  response: JsonValue | undefined,
  functionName: string,
): Pick<ToolResultBlock, 'content' | 'isError'> {
  if (response === undefined || response === null) return { content: [], isError: false }
  if (!isJsonObject(response)) return { content: textOf(response), isError: false }
  const { name: said, ...fields } = response
  const inner = said === functionName && fields['content'] !== undefined ? fields : response
  const [name, ...others] = Object.keys(inner)
  if (name === undefined) return { content: [], isError: false }
  const isNamed = others.length === 0 && (inner !== response || wrappers.has(name))
  return { content: textOf(isNamed ? (inner[name] ?? '') : response), isError: isNamed && name === 'error' }
}

const wrappers: ReadonlySet<string> = new Set(['output', 'error', 'result'])

function textOf(value: JsonValue): readonly ToolResultContent[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' ? [] : [{ type: 'text', text }]
}

function readMediaParts(holder: JsonObject, path: string): readonly ToolResultContent[] {
  const parts = readArray(holder, 'parts', path) ?? []
  return parts.map((item, index) => {
    const partPath = `${path}.parts[${index}]`
    const part = withOwnNames(asObject(item, partPath), partFields)
    const media = readMedia(part, partPath)
    if (media?.type === 'image' || media?.type === 'document') return media
    return { type: 'opaque', format: 'gemini', value: part }
  })
}
