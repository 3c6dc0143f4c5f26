import { countOf, type Fields, fieldsOf, type Gathered, listOf, textOf } from './judged.ts'

/** Reads a whole answer of the Gemini format, or the list of chunks that is sent where nobody asked for events. */
export function gatherGeminiReply(gathered: Gathered, value: unknown): void {
  if (Array.isArray(value)) for (const chunk of value) gatherGeminiChunk(gathered, chunk)
  else gatherGeminiChunk(gathered, value)
}

/** Reads one chunk of a stream, its first candidate. */
export function gatherGeminiChunk(gathered: Gathered, value: unknown): void {
  const chunk = fieldsOf(value)
  gathered.error ??= chunk['error'] ?? undefined
  const candidate = listOf(chunk['candidates'])
    .map(fieldsOf)
    .find((each) => countOf(each['index']) === 0)
  for (const part of listOf(fieldsOf(candidate?.['content'])['parts'])) gatherPart(gathered, fieldsOf(part))
  gatherEnd(gathered, candidate?.['finishReason'])
  if (fieldsOf(chunk['promptFeedback'])['blockReason'] !== undefined) gathered.stop = 'content_filter'
  gatherUsage(gathered, fieldsOf(chunk['usageMetadata']))
}

function gatherPart(gathered: Gathered, part: Fields): void {
  if (part['functionCall'] !== undefined) {
    gatherCall(gathered, fieldsOf(part['functionCall']))
  } else if (part['thought'] === true) {
    gathered.thinking += textOf(part['text'])
  } else {
    gathered.text += textOf(part['text'])
  }
}

/** A call comes whole, or by its name first and then piece by piece, each for the place of its path. */
function gatherCall(gathered: Gathered, { name, args, partialArgs }: Fields): void {
  if (typeof name === 'string' && name !== '') {
    gathered.calls.push({ name, input: JSON.stringify(args ?? {}) })
  }
  const call = gathered.calls.at(-1)
  if (call === undefined || partialArgs === undefined) return
  const input: unknown = JSON.parse(call.input)
  for (const piece of listOf(partialArgs).map(fieldsOf)) {
    const steps = textOf(piece['jsonPath']).match(/[^.[\]$'"]+/g) ?? []
    putPiece(input, steps, piece)
  }
  call.input = JSON.stringify(input)
}

function putPiece(position: unknown, [step = '', ...rest]: readonly string[], piece: Fields): void {
  if (typeof position !== 'object' || position === null) return
  const holder: object = position
  const before: unknown = Reflect.get(holder, step)
  if (rest.length > 0) {
    const next = before ?? (/^\d+$/.test(rest[0] ?? '') ? [] : {})
    Reflect.set(holder, step, next)
    putPiece(next, rest, piece)
    return
  }
  const { stringValue, numberValue, boolValue } = piece
  const text = typeof stringValue === 'string' ? textOf(before) + stringValue : undefined
  Reflect.set(holder, step, text ?? numberValue ?? boolValue ?? null)
}

const ends: Readonly<Record<string, string>> = {
  '1': 'stop',
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  MODEL_ARMOR: 'content_filter',
}

function gatherEnd(gathered: Gathered, reason: unknown): void {
  if (reason === undefined) return
  gathered.stop = ends[String(reason)] ?? String(reason)
  // The format has no other sign of its end.
  gathered.isTerminated = true
}

/** Gathers usage. What tools of the provider brought in is input, and thoughts are output; both are counted apart. */
function gatherUsage(gathered: Gathered, usage: Fields): void {
  const { promptTokenCount: prompt, candidatesTokenCount: said, thoughtsTokenCount: thoughts } = usage
  if ([prompt, said, thoughts].every((count) => typeof count !== 'number')) return
  gathered.usage = {
    input: countOf(prompt) + countOf(usage['toolUsePromptTokenCount']),
    cacheRead: countOf(usage['cachedContentTokenCount']),
    output: countOf(said) + countOf(thoughts),
  }
}
