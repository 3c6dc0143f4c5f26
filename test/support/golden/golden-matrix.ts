import { type ChannelFormatId, channelFormatIds, formatIds } from '../../../src/canonical/format.ts'
import { EVENT_STREAM_TYPE } from '../../../src/kit/sse/event-stream-encoder.ts'
import { createEventStreamFrames } from '../../../src/wire/converse/event-stream-frames.ts'
import { channelYaml } from '../channel-yaml.ts'
import { openScriptedUpstream, type RecordedRequest, type ScriptedAnswer } from '../scripted-upstream.ts'
import { startGateway, testKey } from '../start-gateway.ts'
import { type GoldenCase, type GoldenReply, readGoldenCases } from './golden-files.ts'
import { settleText } from './settle-text.ts'

/** The upstream's model of each channel format: real names, since what is fitted depends on them. */
const channels: Readonly<Record<ChannelFormatId, string>> = {
  chat: 'gpt-4o',
  messages: 'claude-sonnet-4-5',
  responses: 'gpt-5',
  gemini: 'gemini-2.5-pro',
  cohere: 'command-a-03-2025',
  converse: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
}

/** The formats that callers alone speak. Prompts of `ollama-generate` get the same answers as its conversations. */
const callersAlone = ['ollama-chat', 'ollama-generate', 'bedrock-converse'] as const
const askingFormats = [...formatIds, ...callersAlone]
const answeredFormats = askingFormats.filter((format) => format !== 'ollama-generate')

type CallerId = (typeof askingFormats)[number]

/** The formats whose bodies name the model, and their paths. */
const paths: Readonly<Partial<Record<CallerId, string>>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
  'ollama-chat': '/api/chat',
  'ollama-generate': '/api/generate',
}

/** A result of a case: the name of its file and the text that belongs there. */
export interface GoldenResult {
  readonly name: string
  readonly text: string
}

export interface GoldenMatrix extends AsyncDisposable {
  /** Translates the request and the reply of a case into every other format. */
  run(golden: GoldenCase): Promise<readonly GoldenResult[]>
}

/** Starts the gateway before one upstream that answers each request as the case says. */
export async function openGoldenMatrix(): Promise<GoldenMatrix> {
  let answer: ScriptedAnswer = { status: 500 }
  const upstream = await openScriptedUpstream(() => answer)
  const texts = channelFormatIds.map((format) => ({
    format,
    origin: upstream.origin,
    models: { [`to-${format}`]: channels[format] },
    more: 'breaker: off',
  }))
  const gateway = await startGateway(`${channelYaml(...texts)}retry: { attempts: 1 }\n`)
  const ask = async (target: ChannelFormatId, asked: Asked, next: ScriptedAnswer) => {
    answer = next
    const before = upstream.requests.length
    const response = await fetch(`${gateway.url}${pathOf(asked, target)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(
        paths[asked.format] === undefined ? asked.body : { ...asked.body, model: `to-${target}` },
      ),
    })
    const body = await readBody(response)
    return { response, body, request: upstream.requests[before] }
  }
  return {
    async run({ format, request, reply }) {
      const results: GoldenResult[] = []
      for (const target of channelFormatIds) {
        const caller = askingFormats.find((one) => one === format)
        if (request === undefined || caller === undefined || target === format) continue
        const asked = { format: caller, body: request, isStream: false }
        const seen = await ask(
          target,
          asked,
          replay({ status: 200, isStream: false, body: plainReply(target) }),
        )
        results.push({ name: `request.to-${target}.json`, text: describeRequest(seen) })
      }
      for (const caller of answeredFormats) {
        const channel = channelFormatIds.find((one) => one === format)
        if (reply === undefined || channel === undefined || caller === format) continue
        const { isStream } = reply
        const seen = await ask(
          channel,
          { format: caller, body: plainRequest(caller, isStream), isStream },
          replay(reply),
        )
        results.push({ name: `reply.to-${caller}.${isStream ? 'sse' : 'json'}`, text: describeReply(seen) })
      }
      return results
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream.close()
    },
  }
}

interface Asked {
  readonly format: CallerId
  readonly body: Readonly<Record<string, unknown>>
  readonly isStream: boolean
}

interface Seen {
  readonly response: Response
  readonly body: string
  readonly request: RecordedRequest | undefined
}

function pathOf({ format, isStream }: Asked, target: ChannelFormatId): string {
  const path = paths[format]
  if (path !== undefined) return path
  if (format === 'bedrock-converse') return `/model/to-${target}/converse${isStream ? '-stream' : ''}`
  return `/v1beta/models/to-${target}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
}

/** A cut stream is read as far as it comes. */
async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk)
  } catch {
    chunks.push(Buffer.from('\n(the connection breaks off)\n'))
  }
  const bytes = Buffer.concat(chunks)
  if (response.headers.get('content-type') !== EVENT_STREAM_TYPE) return bytes.toString('utf8')
  const parser = createEventStreamFrames(1_000_000)
  const frames = parser.push(bytes).map((frame) => frame.bytes.toString('utf8'))
  const { failure } = parser
  return `${frames.join('')}${failure === undefined ? '' : `exception: ${failure.upstream?.type}\n`}`
}

/** The request that the upstream gets, or the refusal where it gets none. */
function describeRequest({ response, body, request }: Seen): string {
  const loss = response.headers.get('x-headgate-loss') ?? ''
  if (request === undefined)
    return settleText(`${pretty({ refused: response.status, body: JSON.parse(body) })}\n`)
  const path = request.path
  return settleText(`${pretty({ loss, path, body: JSON.parse(request.body.toString('utf8')) })}\n`)
}

function describeReply({ response, body }: Seen): string {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return settleText(isJson ? `${pretty({ status: response.status, body: JSON.parse(body) })}\n` : body)
}

function replay({ status, isStream, body }: GoldenReply): ScriptedAnswer {
  const type = isStream ? 'text/event-stream' : 'application/json'
  return { status, headers: { 'content-type': type }, chunks: [body] }
}

function plainRequest(format: CallerId, isStream: boolean): Readonly<Record<string, unknown>> {
  const messages = [{ role: 'user', content: 'go' }]
  switch (format) {
    case 'chat':
      return { messages, stream: isStream }
    case 'messages':
      return { messages, stream: isStream, max_tokens: 1_000 }
    case 'responses':
      return { input: 'go', stream: isStream, store: false }
    case 'gemini':
      return { contents: [{ role: 'user', parts: [{ text: 'go' }] }] }
    case 'ollama-chat':
      return { messages, stream: isStream }
    case 'ollama-generate':
      return { prompt: 'go', stream: isStream }
    case 'bedrock-converse':
      return { messages: [{ role: 'user', content: [{ text: 'go' }] }] }
  }
}

/** The reply of a case that has one, so that the request is answered and its losses are named. */
function plainReply(format: ChannelFormatId): string {
  const found = readGoldenCases().find(
    (golden) => golden.format === format && golden.reply?.status === 200 && !golden.reply.isStream,
  )
  if (found?.reply === undefined) throw new Error(`no golden reply of ${format}`)
  return found.reply.body
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
