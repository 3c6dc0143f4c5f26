import type { Citation } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { BlockStart } from '../../../canonical/reply-event.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { loseExtras } from '../../fields/extras.ts'
import { writeToolInput } from '../../tools/write-tool-input.ts'
import { imageFormats } from '../values/media-types.ts'
import { joinRedacted, writeRedacted } from '../values/reasoning-content.ts'

const PATH = 'output.message.content'

/** The parts of a block on the wire: a start, which text and reasoning do not have, and the deltas after it. */
export interface BlockHead {
  readonly start: JsonObject | undefined
  readonly deltas: readonly JsonObject[]
}

const nothing: BlockHead = { start: undefined, deltas: [] }

/** Writes the start of a block. Undefined if the format cannot carry the block. */
export function writeBlockHead(start: BlockStart, losses: LossList): BlockHead | undefined {
  switch (start.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      if (start.type === 'refusal') losses.lose('refusal', 'approximated')
      loseForeign(start, losses)
      return nothing
    case 'audio':
      losses.lose('audio', 'approximated')
      return start.transcript === undefined ? nothing : { ...nothing, deltas: [{ text: start.transcript }] }
    case 'tool-call': {
      if (start.kind === 'custom') losses.lose('custom-tool', 'approximated')
      loseForeign(start, losses)
      return { start: { toolUse: { toolUseId: start.id, name: start.name } }, deltas: [] }
    }
    case 'redacted-thinking':
      loseForeign(start, losses)
      return { ...nothing, deltas: [{ reasoningContent: { redactedContent: writeRedacted(start) } }] }
    case 'image':
      return writeImage(start, losses)
    case 'opaque':
      return writeOpaque(start, losses)
  }
}

type Started<Type extends BlockStart['type']> = Extract<BlockStart, { readonly type: Type }>

function loseForeign(
  { extras }: Started<'text' | 'thinking' | 'refusal' | 'tool-call' | 'redacted-thinking'>,
  losses: LossList,
): void {
  if (extras?.format !== 'responses' && extras?.format !== 'gemini')
    loseExtras(extras, { losses, path: PATH })
}

function writeImage({ source, extras }: Started<'image'>, losses: LossList): BlockHead | undefined {
  const format = source.type === 'base64' ? imageFormats.get(source.mediaType) : undefined
  if (source.type !== 'base64' || format === undefined) {
    losses.lose('image', 'dropped')
    return undefined
  }
  loseExtras(extras, { losses, path: PATH })
  return { start: { image: { format } }, deltas: [{ image: { source: { bytes: source.data } } }] }
}

/** Writes a tool that Bedrock runs. Its input is text in chunks, and its result is a list. */
function writeOpaque({ format, value }: Started<'opaque'>, losses: LossList): BlockHead | undefined {
  if (format !== 'converse') {
    const { type } = value
    losses.lose('foreign-block', 'dropped', typeof type === 'string' ? type : 'unknown')
    return undefined
  }
  const [[name, inner] = ['', undefined]] = Object.entries(value)
  if (!isJsonObject(inner)) return { start: value, deltas: [] }
  const { input, content, ...start } = inner
  const deltas = [
    ...(input === undefined ? [] : [{ [name]: { input: JSON.stringify(input) } }]),
    ...(isJsonArray(content) ? [{ [name]: content }] : []),
  ]
  return { start: { [name]: start }, deltas }
}

export function writeCitation({ url, title, citedText, extras }: Citation, losses: LossList): JsonObject {
  const own = extras?.format === 'converse' ? extras.fields : {}
  if (extras?.format !== 'converse') loseExtras(extras, { losses, path: `${PATH}.citations` })
  return {
    ...(title === undefined ? {} : { title }),
    ...(citedText === undefined ? {} : { sourceContent: [{ text: citedText }] }),
    ...(url === undefined ? {} : { location: { web: { url } } }),
    ...own,
  }
}

/** Joins a head and its deltas into a whole block. Undefined if they have no content. */
export function joinBlock({ start, deltas }: BlockHead, losses: LossList): JsonObject | undefined {
  const toolUse = start?.['toolUse']
  const [first] = deltas
  if (isJsonObject(toolUse)) {
    const input = deltas.map((delta) => textIn(delta['toolUse'], 'input')).join('')
    const call = { type: 'tool-call', id: '', name: '', kind: 'function', input } as const
    return { toolUse: { ...toolUse, input: writeToolInput(call, losses) } }
  }
  if (start?.['image'] !== undefined && isJsonObject(start['image']) && isJsonObject(first?.['image']))
    return { image: { ...start['image'], ...first['image'] } }
  if (start !== undefined) return joinOpaque(start, first)
  const citations = deltas.flatMap(({ citation }) => (isJsonObject(citation) ? [citation] : []))
  const text = deltas.map((delta) => textIn(delta, 'text')).join('')
  if (citations.length > 0) return { citationsContent: { content: [{ text }], citations } }
  const reasoning = deltas.flatMap(({ reasoningContent }) =>
    isJsonObject(reasoningContent) ? [reasoningContent] : [],
  )
  if (reasoning.length > 0) return { reasoningContent: joinReasoning(reasoning) }
  return first === undefined ? undefined : { text }
}

function joinReasoning(parts: readonly JsonObject[]): JsonObject {
  const redacted = parts.flatMap(({ redactedContent }) =>
    typeof redactedContent === 'string' ? [redactedContent] : [],
  )
  if (redacted.length > 0) return { redactedContent: joinRedacted(redacted) }
  const signature = parts.map((part) => textIn(part, 'signature')).join('')
  const text = parts.map((part) => textIn(part, 'text')).join('')
  return { reasoningText: { text, ...(signature === '' ? {} : { signature }) } }
}

function joinOpaque(start: JsonObject, delta: JsonObject | undefined): JsonObject {
  const [[name, inner] = ['', undefined]] = Object.entries(start)
  const more = delta?.[name]
  return isJsonArray(more) && isJsonObject(inner) ? { [name]: { ...inner, content: more } } : start
}

function textIn(value: unknown, name: string): string {
  const text = isJsonObject(value) ? value[name] : undefined
  return typeof text === 'string' ? text : ''
}
