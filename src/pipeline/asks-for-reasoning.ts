import { isJsonObject, type JsonValue } from '../kit/json/json.ts'
import { tryParseJson } from '../kit/json/try-parse-json.ts'
import type { ScannedRequest } from '../wire/wire-format.ts'

/** What the caller says of reasoning; `unsaid` leaves it to the model. */
export type AskedReasoning = 'on' | 'off' | 'unsaid'

/** Longer values are not looked into. */
const MOST_CHARACTERS = 64 * 1024

/** By the fields of every format, wherever they stand in it; read only where an answer is late. */
export function asksForReasoning(scanned: ScannedRequest): AskedReasoning {
  const asked: AskedReasoning[] = []
  for (const [name, span] of scanned.fields) {
    if (!reasoningFields.has(name) || span.valueEnd - span.valueStart > MOST_CHARACTERS) continue
    const value = tryParseJson(scanned.body.textOf(span))
    if (value !== undefined) asked.push(name === 'tools' ? judgeTools(value) : judgeField(value))
  }
  if (asked.includes('on')) return 'on'
  return asked.includes('off') ? 'off' : 'unsaid'
}

/** Letter case folded away. */
const reasoningFields: ReadonlySet<string> = new Set([
  'reasoning_effort',
  'reasoning',
  'thinking',
  'thinking_budget',
  'enable_thinking',
  'output_config',
  'chat_template_kwargs',
  'generationconfig',
  'generation_config',
  'extra_body',
  'tools',
])

/** Values under which reasoning is switched off. */
const offWords: ReadonlySet<unknown> = new Set(['none', 'disabled', 'off', false, 0])

function judgeField(value: JsonValue): AskedReasoning {
  if (value === null) return 'unsaid'
  if (!isJsonObject(value)) return offWords.has(value) ? 'off' : 'on'
  for (const [name, inner] of Object.entries(value)) {
    const said = judgeInner(name, inner)
    if (said !== 'unsaid') return said
  }
  return 'unsaid'
}

/** Names within those fields that say whether, or how much. */
const sayingNames =
  /^(?:type|effort|enabled|max_?tokens|enable_?thinking|thinking|thinking_?(?:budget|level|config)|google)$/i

function judgeInner(name: string, value: JsonValue | undefined): AskedReasoning {
  if (value === undefined || !sayingNames.test(name)) return 'unsaid'
  return judgeField(value)
}

/** Tools that the provider runs itself, in silence. */
const ownTools =
  /^(?:web_search|web_fetch|code_interpreter|code_execution|file_search|image_generation|mcp|shell)/

function judgeTools(value: JsonValue): AskedReasoning {
  const runsOwn =
    Array.isArray(value) &&
    value.some(
      (tool) => isJsonObject(tool) && typeof tool['type'] === 'string' && ownTools.test(tool['type']),
    )
  return runsOwn ? 'on' : 'unsaid'
}
