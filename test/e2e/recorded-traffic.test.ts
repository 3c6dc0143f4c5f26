import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Asked,
  ask,
  dataOfEvent,
  errorAtEnd,
  errorEvents,
  isTerminated,
  splitEvents,
} from '../support/ask.ts'
import { type BodyFormatId, bodyFormatIds } from '../support/body-formats.ts'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { expectedFault } from '../support/expected-fault.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { NamedCounts } from '../support/named-counts.ts'
import {
  type CorpusReplay,
  forEachAtOnce,
  modelOfCase,
  openCorpusReplay,
} from '../support/open-corpus-replay.ts'
import { answerOfCase } from '../support/scripted-upstream.ts'

const chat = loadCases({ api: 'openai.chat' })
const cases = {
  chat: chat ?? [],
  messages: loadCases({ api: 'anthropic.messages' }) ?? [],
  responses: loadCases({ api: 'openai.responses' }) ?? [],
}
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

/** Bodies of other clouds leave the model, and more, to the address. */
function requestOf(format: BodyFormatId, index: number, { request, response }: CorpusCase): object {
  const recorded = fieldsOf(request?.body)
  const minimal = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 16, input: 'Hi' }
  const isWhole = listOf(recorded['messages']).length > 0 || recorded['input'] !== undefined
  const body = isWhole ? recorded : minimal
  return { ...body, model: modelOfCase(format, index), stream: response.sse !== undefined }
}

/** The code of the error that the answer is. */
function codeOf({ response }: CorpusCase): unknown {
  return fieldsOf(fieldsOf(response.body)['error'])['code']
}

/** The bytes that the upstream sends. */
function recordedText(recorded: CorpusCase): string {
  return Buffer.concat(
    (answerOfCase(recorded).chunks ?? []).map((chunk) => Buffer.from(String(chunk))),
  ).toString()
}

/**
 * Where the verbatim lane may differ from the recording (the design's §3), each rule on the events of the recording.
 */
type Rule = (events: readonly string[], format: BodyFormatId, body: object) => readonly string[]
const unaskedUsage = 'usage that the caller did not ask for is left out'
const rules = {
  [unaskedUsage]: (events, format, body) =>
    format === 'chat' && !asksForUsage(body) ? events.filter((event) => !isUsageOnly(event)) : events,
  'nothing follows the terminator': (events, format) => {
    const end = events.findIndex((event) => isTerminated(format, event))
    return end === -1 ? events : events.slice(0, end + 1)
  },
  'the last event has its blank line': (events) =>
    events.map((event) => (/(\n|\r|\r\n)\1$/.test(event) ? event : `${event}\n\n`)),
  'a missing terminator is added': (events, format) =>
    format === 'chat' && !isTerminated(format, events.join('')) ? [...events, 'data: [DONE]\n\n'] : events,
} satisfies Readonly<Record<string, Rule>>

function asksForUsage(body: object): boolean {
  return fieldsOf(fieldsOf(body)['stream_options'])['include_usage'] === true
}

function isUsageOnly(event: string): boolean {
  const { choices, usage } = fieldsOf(dataOfEvent(event))
  return Array.isArray(choices) && choices.length === 0 && typeof usage === 'object' && usage !== null
}

/** The recording as its caller gets it: a stored response has an id of ours, and nothing else of it is changed. */
function withOurId(sent: string, got: string): string {
  const [ours] = /\bresp_[0-9a-f]{48}\b/.exec(got) ?? []
  if (ours === undefined || sent.includes(ours)) return sent
  const reported = splitEvents(sent).map((event) => fieldsOf(fieldsOf(dataOfEvent(event))['response'])['id'])
  const [, whole] = /"id":\s*"([^"]+)"/.exec(sent) ?? []
  const ids = new Set([...reported.filter((id) => typeof id === 'string'), whole ?? ours])
  // Some providers tell another id with each event.
  return [...ids].reduce((text, id) => text.replaceAll(`"${id}"`, `"${ours}"`), sent)
}

/** `equal`, the rules by which the answer differs, or `failed`. */
function compare(format: BodyFormatId, recorded: CorpusCase, asked: Asked, body: object): string {
  const got = asked.body.toString()
  const sent = withOurId(recordedText(recorded), got)
  if (asked.status !== recorded.response.status || asked.isCut) return 'failed'
  if (recorded.response.sse === undefined) return sent === got ? 'equal' : 'failed'
  const used: string[] = []
  let events = splitEvents(sent)
  const mustDiffer = rules[unaskedUsage](events, format, body).length < events.length
  if (sent === got) return mustDiffer ? 'failed' : 'equal'
  for (const [name, rule] of Object.entries(rules)) {
    const changed = rule(events, format, body)
    if (changed.join('\0') === events.join('\0')) continue
    used.push(name)
    events = changed
    if (events.join('\0') === splitEvents(got).join('\0')) return used.join(' + ')
  }
  return 'failed'
}

describe.skipIf(chat === undefined)('recorded traffic through the running gateway', () => {
  let replay: CorpusReplay
  beforeAll(async () => {
    replay = await openCorpusReplay(cases)
  })
  afterAll(async () => {
    agent.destroy()
    await replay[Symbol.asyncDispose]()
  })

  describe.each(bodyFormatIds)('to callers of the same format, %s', (format) => {
    async function askCase(recorded: CorpusCase) {
      const body = requestOf(format, cases[format].indexOf(recorded), recorded)
      const asked = await ask({ url: replay.gateway.url, format }, body, { agent })
      return { body, asked }
    }
    const isBroken = ({ features }: CorpusCase) => features.includes('error_mid_stream')
    const isGood = (recorded: CorpusCase) => recorded.response.status === 200 && !isBroken(recorded)

    it('every answer equals the recording, except for permitted changes', async () => {
      const counts = new NamedCounts()
      const failed: string[] = []
      await forEachAtOnce(cases[format].filter(isGood), 8, async (recorded) => {
        const { body, asked } = await askCase(recorded)
        const result = compare(format, recorded, asked, body)
        counts.add(result)
        if (result === 'failed')
          failed.push(`${recorded.id}: ${asked.status} ${asked.body.toString().slice(0, 200)}`)
      })
      counts.print(`verbatim ${format} answers`)
      expect(failed).toEqual([])
    })

    it('faults of the request are returned word for word, those of the account as gateway faults', async () => {
      const counts = new NamedCounts()
      await forEachAtOnce(
        cases[format].filter(({ response }) => response.status >= 400),
        8,
        async (recorded) => {
          const { asked } = await askCase(recorded)
          const { status, type } = expectedFault(recorded.response.status, codeOf(recorded))
          counts.add(`${recorded.response.status} as ${asked.status}`)
          expect(asked.status, recorded.id).toBe(status)
          const text = asked.body.toString()
          if (type === undefined) expect(text, recorded.id).toBe(recordedText(recorded))
          else expect(JSON.parse(text), recorded.id).toMatchObject({ error: { type: type[format] } })
        },
      )
      counts.print(`verbatim ${format} errors`)
    })

    it('a broken stream is forwarded up to its break, and ends with an error event', async () => {
      const broken = cases[format].filter(isBroken)
      await forEachAtOnce(broken, 8, async (recorded) => {
        const { asked } = await askCase(recorded)
        const text = asked.body.toString()
        // One that breaks before its first word is no stream for the caller.
        if (asked.status !== 200) {
          expect(JSON.parse(text), recorded.id).toHaveProperty('error.message')
          return
        }
        expect(errorAtEnd(format, text), recorded.id).toBeDefined()
        expect([isTerminated(format, text), asked.isCut], recorded.id).toEqual([false, true])
        const before = splitEvents(text).slice(0, -errorEvents[format])
        expect(splitEvents(recordedText(recorded)).slice(0, before.length), recorded.id).toEqual(before)
      })
      process.stdout.write(`verbatim ${format} streams that break: ${broken.length}\n`)
    })
  })
})
