import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replyArbitrary } from '../../../test/support/canonical-arbitraries.ts'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import { createFailure } from '../../canonical/failure.ts'
import type { Reply } from '../../canonical/reply.ts'
import { unfoldReply } from '../../canonical/unfold-reply.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { ollamaChatFormat, ollamaGenerateFormat } from './format.ts'
import { possibleLosses } from './request/possible-losses.ts'

const formats = [ollamaChatFormat, ollamaGenerateFormat] as const

function stream(format: (typeof formats)[number], reply: Reply) {
  const writer = format.createStreamWriter({ streamUsage: true, requestId: 'r1' })
  const text = unfoldReply(reply)
    .map((event) => writer.push(event))
    .join('')
  return { lines: text.split('\n').slice(0, -1), losses: writer.losses, text }
}

function fieldsOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** Texts and lists grow, everything else is that of the last line: what every client makes of the lines. */
function addUp(
  before: JsonValue | undefined,
  value: JsonValue | undefined,
  name = '',
): JsonValue | undefined {
  if (before === undefined || value === undefined) return value ?? before
  if (isJsonArray(before) && isJsonArray(value)) return [...before, ...value]
  if (isJsonObject(before) && isJsonObject(value)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(value)])]
    return Object.fromEntries(names.map((each) => [each, addUp(before[each], value[each], each)]))
  }
  const grows = name === 'content' || name === 'thinking' || name === 'response'
  return grows && typeof before === 'string' && typeof value === 'string' ? before + value : value
}

describe.each(formats)('answers in the Ollama form of $id', (format) => {
  it('are lines that add up to the whole answer, with done only in the last', () => {
    const order: fc.Arbitrary<Reply> = fc.oneof(replyArbitrary({ format: 'chat' }), replyArbitrary())
    fc.assert(
      fc.property(order, (reply) => {
        const { lines, losses } = stream(format, reply)
        const parsed = lines.map((line) => fieldsOf(JSON.parse(line)))
        expect(parsed.map(({ done }) => done)).toEqual([...lines.slice(1).map(() => false), true])
        const whole = format.writeReply(reply)
        const sum = parsed.reduce<JsonValue | undefined>((all, line) => addUp(all, line), undefined)
        expect(sum).toEqual(JSON.parse(JSON.stringify(whole.value)))
        const features = new Set([...losses, ...whole.losses].map(({ feature }) => feature))
        for (const feature of features) expect(possibleLosses).toContain(feature)
        // The order of blocks shows in a stream, and not in one message.
        const others = whole.losses.filter(({ feature }) => feature !== 'block-order')
        expect(losses).toEqual(expect.arrayContaining(others))
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('end in a line with the error when a stream fails, and nothing follows', () => {
    const writer = format.createStreamWriter({ streamUsage: true, requestId: 'r1' })
    const failure = createFailure('upstream_disconnected')
    writer.push({ type: 'reply-start', id: 'r', model: 'm' })
    const line = writer.push({ type: 'failure', failure })
    expect(JSON.parse(line)).toEqual({ error: failure.message, code: 'upstream_disconnected' })
    expect(writer.push({ type: 'reply-end' })).toBe('')
    expect(format.writeErrorEvent(failure, 'r1')).toBe(line)
  })

  it('report how long the steps took, by the given clock', () => {
    let nowMs = 1_005
    const timer = { startedAtMs: 1_000, clock: { monotonicMs: () => nowMs } }
    const writer = format.createStreamWriter({ streamUsage: true, requestId: 'r1', timer })
    const content = [{ type: 'text' as const, text: 'Hi' }]
    let text = ''
    for (const event of unfoldReply({ id: 'r', model: 'm', choices: [{ content, stopReason: 'end' }] })) {
      if (event.type === 'text-delta') nowMs = 1_030
      if (event.type === 'reply-end') nowMs = 1_050
      text += writer.push(event)
    }
    expect(JSON.parse(text.trim().split('\n').at(-1) ?? '')).toMatchObject({
      total_duration: 50_000_000,
      load_duration: 0,
      prompt_eval_duration: 30_000_000,
      eval_duration: 20_000_000,
    })
  })
})
