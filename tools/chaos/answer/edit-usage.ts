import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/kit/json/json.ts'
import type { UsageLie } from '../script/fault-schema.ts'
import type { AnswerPart, FaultAnswer } from './fault-answer.ts'
import { withParts } from './fault-answer.ts'
import { readEventData } from './sort-event.ts'

const lies: Readonly<Record<Exclude<UsageLie, 'missing' | 'null'>, JsonValue>> = {
  zero: 0,
  huge: 1e18,
  negative: -5,
  fraction: 1.5,
  text: 'many',
}

/** The same answer without its usage, or with one that is not true. */
export function editUsage(answer: FaultAnswer, lie: UsageLie): FaultAnswer {
  if (!answer.isStream) return editWhole(answer, lie)
  const parts = answer.parts.flatMap((part) => {
    if (part.kind === 'usage' && lie === 'missing') return []
    return [editEvent(part, lie)]
  })
  return withParts(answer, parts)
}

function editEvent(part: AnswerPart, lie: UsageLie): AnswerPart {
  const text = part.bytes.toString('utf8')
  const value = readEventData(text)
  if (value === undefined) return part
  const data = JSON.stringify(lieIn(value, lie))
  return { ...part, bytes: Buffer.from(`${text.slice(0, text.indexOf('data: '))}data: ${data}\n\n`) }
}

/** The usage of a whole answer is in one piece, which keeps its text. */
function editWhole(answer: FaultAnswer, lie: UsageLie): FaultAnswer {
  const last = answer.parts.at(-1)
  if (last === undefined) return answer
  const tail = last.bytes.toString('utf8')
  const at = tail.lastIndexOf('"usage":')
  const before = tail.lastIndexOf(',', at)
  if (at === -1) return answer
  const end = endOfObject(tail, tail.indexOf('{', at))
  const usage: JsonValue = JSON.parse(tail.slice(tail.indexOf('{', at), end))
  const changed = lieIn({ usage }, lie)['usage']
  const start = changed === undefined ? tail.slice(0, before) : tail.slice(0, at)
  const middle = changed === undefined ? '' : `"usage":${JSON.stringify(changed)}`
  const bytes = Buffer.from(`${start}${middle}${tail.slice(end)}`)
  return withParts(answer, [...answer.parts.slice(0, -1), { ...last, bytes }])
}

function endOfObject(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1
    if (text[at] === '}') depth -= 1
    if (depth === 0) return at + 1
  }
  return text.length
}

function lieIn(value: JsonObject, lie: UsageLie): JsonObject {
  const { usage, message, ...rest } = value
  const own = isJsonObject(usage) ? lieOf(usage, lie) : usage
  const inner = isJsonObject(message) ? lieIn(message, lie) : message
  return {
    ...rest,
    ...(message === undefined ? {} : { message: inner }),
    ...(own === undefined ? {} : { usage: own }),
  }
}

function lieOf(usage: JsonObject, lie: UsageLie): JsonValue | undefined {
  if (lie === 'missing') return undefined
  if (lie === 'null') return null
  const entries = Object.entries(usage).map(([name, value]) => [
    name,
    typeof value === 'number' ? lies[lie] : value,
  ])
  return Object.fromEntries(entries)
}
