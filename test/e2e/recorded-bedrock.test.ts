import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FormatId, formatIds } from '../../src/canonical/format.ts'
import { allClients, clientErrors } from '../support/all-clients.ts'
import type { Ask } from '../support/ask-with-clients.ts'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { readAnswer } from '../support/judge.ts'
import { fieldsOf, type Judged } from '../support/judged.ts'
import { NamedCounts } from '../support/named-counts.ts'
import { forEachAtOnce } from '../support/open-corpus-replay.ts'
import { bedrockKeys, bedrockRegion, openFakeBedrock } from '../support/open-fake-bedrock.ts'
import { refusalOf } from '../support/open-gateway.ts'
import { compared, plainly, type Said } from '../support/plainly.ts'
import { readAwsEvents } from '../support/read-aws-events.ts'
import type { ScriptedAnswer } from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway } from '../support/start-gateway.ts'

type ChannelFormat = 'converse' | 'messages'

const converse = loadCases({ api: 'bedrock.converse' })
const invoked = loadCases({ api: 'bedrock.invoke' }) ?? []
const cases: Readonly<Record<ChannelFormat, readonly CorpusCase[]>> = {
  converse: converse ?? [],
  // Other makers' models are invoked in formats that only Bedrock knows.
  messages: invoked.filter(({ request }) => fieldsOf(request?.body)['anthropic_version'] !== undefined),
}

function isStream({ request }: CorpusCase): boolean {
  return request?.path.includes('stream') === true
}

function readRecording(format: ChannelFormat, { response }: CorpusCase): Judged {
  const { eventstream_base64: encoded } = response
  if (encoded === undefined)
    return readAnswer({ format, body: JSON.stringify(response.body), isStream: false })
  const events = readAwsEvents(Buffer.from(encoded, 'base64')).map(({ headers, payload }) =>
    format === 'messages'
      ? Buffer.from(String(fieldsOf(JSON.parse(payload))['bytes']), 'base64').toString('utf8')
      : `{${JSON.stringify(headers[':event-type'])}:${payload}}`,
  )
  return readAnswer({ format, body: events.map((data) => `data: ${data}\n\n`).join(''), isStream: true })
}

/** In pieces that end within messages. */
function replay({ response }: CorpusCase): ScriptedAnswer {
  const { status, headers, body, eventstream_base64: encoded } = response
  const bytes = encoded === undefined ? Buffer.from(JSON.stringify(body)) : Buffer.from(encoded, 'base64')
  const type = encoded === undefined ? 'application/json' : 'application/vnd.amazon.eventstream'
  const chunks = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, index) =>
    bytes.subarray(index * 1000, (index + 1) * 1000),
  )
  const error = headers['x-amzn-errortype']
  return {
    status,
    headers: { 'content-type': type, ...(error === undefined ? {} : { 'x-amzn-errortype': error }) },
    chunks,
  }
}

/** A client of Gemini runs each call, so a call that was cut off after its name is left out. */
function withoutCutCall(said: Said): Said {
  const last = said.toolCalls.at(-1)
  const isCut = said.stopReason === 'length' && last !== undefined && isDeepStrictEqual(last.arguments, {})
  return isCut ? { ...said, toolCalls: said.toolCalls.slice(0, -1) } : said
}

const pairs = (['converse', 'messages'] as const).flatMap((channel) =>
  formatIds.map((caller) => [channel, caller] as const),
)

describe.skipIf(converse === undefined)('recorded traffic of Bedrock', () => {
  const cleanup = new AsyncDisposableStack()
  let gateway: StartedGateway
  let clients: Readonly<Record<FormatId, Ask>>
  beforeAll(async () => {
    const upstream = cleanup.use(
      await openFakeBedrock(({ model }) => {
        const [format, index] = model.split('-')
        const found = cases[format === 'converse' ? format : 'messages'][Number(index)]
        if (found === undefined) throw new Error('no case of this name')
        return replay(found)
      }),
    )
    const channel = (format: ChannelFormat) => `
  - name: ${format}
    provider: bedrock
    format: ${format}
    base_url: ${upstream.origin}
    allow_private: true
    breaker: off
    credentials: { region: ${bedrockRegion}, access_key_id: ${bedrockKeys.accessKeyId}, secret_access_key: ${bedrockKeys.secretAccessKey} }
    models: ${JSON.stringify(cases[format].map((_case, index) => `${format}-${index}`))}`
    gateway = cleanup.use(
      await startGateway(`channels:${channel('converse')}${channel('messages')}\nretry: { attempts: 1 }\n`),
    )
    clients = allClients(gateway.url)
  })
  afterAll(() => cleanup.disposeAsync())

  const askCase = (channel: ChannelFormat, caller: FormatId, recorded: CorpusCase) =>
    clients[caller](`${channel}-${cases[channel].indexOf(recorded)}`, isStream(recorded))

  it.each(pairs)(
    'of a %s channel gives the official client of %s the content of the recording',
    async (channel, caller) => {
      const counts = new NamedCounts()
      const failed: string[] = []
      const good = cases[channel].filter(({ response }) => response.status === 200)
      await forEachAtOnce(good, 4, async (recorded) => {
        const whole = plainly(readRecording(channel, recorded))
        const expected = caller === 'gemini' ? withoutCutCall(whole) : whole
        const said = await askCase(channel, caller, recorded).then(plainly, String)
        const differing =
          typeof said === 'string'
            ? [said]
            : compared.filter((key) => !isDeepStrictEqual(said[key], expected[key]))
        counts.add(differing.length === 0 ? 'equal' : 'failed')
        if (differing.length > 0)
          failed.push(
            `${recorded.id}: ${differing.join(', ')} ${JSON.stringify(said)} for ${JSON.stringify(expected)}`,
          )
      })
      counts.print(`bedrock ${channel} answers to ${caller} callers`)
      expect(failed, failed.join('\n')).toEqual([])
    },
    120_000,
  )

  it.each(pairs)(
    'of a %s channel reports an error to the client of %s as an error',
    async (channel, caller) => {
      const faults = cases[channel].filter(({ response }) => response.status !== 200)
      expect(faults.length).toBeGreaterThan(0)
      await forEachAtOnce(faults, 4, async (recorded) => {
        const refusal = await refusalOf(askCase(channel, caller, recorded))
        expect(refusal, recorded.id).toBeInstanceOf(clientErrors[caller])
      })
    },
  )
})
