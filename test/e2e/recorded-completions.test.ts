import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { channelYaml } from '../support/channel-yaml.ts'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { expectedFault } from '../support/expected-fault.ts'
import { type Fields, fieldsOf, listOf } from '../support/judged.ts'
import { NamedCounts } from '../support/named-counts.ts'
import { forEachAtOnce } from '../support/open-corpus-replay.ts'
import {
  answerOfCase,
  jsonAnswer,
  openScriptedUpstream,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedUpstream,
  sseAnswer,
} from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway, testKey } from '../support/start-gateway.ts'

const loaded = loadCases({ api: 'openai.completions' })
const cases = loaded ?? []
const publicName = (recorded: CorpusCase) => `public-${cases.indexOf(recorded)}`
const upstreamName = (recorded: CorpusCase) => `upstream-${cases.indexOf(recorded)}`

interface Replay {
  readonly upstream: ScriptedUpstream
  readonly gateway: StartedGateway
}

/** A channel whose upstream answers each model's name as told; its public names are others. */
async function openReplay(
  answer: (recorded: CorpusCase) => ScriptedAnswer,
  hasEndpoint: boolean,
): Promise<Replay> {
  const upstream = await openScriptedUpstream((request) => {
    const { model } = bodyOf(request)
    const recorded = cases.find((each) => upstreamName(each) === model)
    if (recorded === undefined) throw new Error('no case of this name')
    return answer(recorded)
  })
  const models = Object.fromEntries(cases.map((each) => [publicName(each), upstreamName(each)]))
  const facts = cases.map((each) => `  ${publicName(each)}: { completions: ${hasEndpoint} }\n`)
  const channels = channelYaml({ format: 'chat', origin: upstream.origin, models, more: 'breaker: off' })
  const gateway = await startGateway(`${channels}retry: { attempts: 1 }\nmodels:\n${facts.join('')}`)
  return { upstream, gateway }
}

async function close({ upstream, gateway }: Replay): Promise<void> {
  await gateway[Symbol.asyncDispose]()
  await upstream.close()
}

function bodyOf({ body }: RecordedRequest): Fields {
  return fieldsOf(JSON.parse(String(body)))
}

/** One recorded request does not say that it asked for the stream that it got. */
function recordedRequest({ request, response }: CorpusCase): Fields {
  const body = fieldsOf(request?.body)
  return response.sse === undefined ? body : { ...body, stream: true }
}

async function ask({ gateway }: Replay, recorded: CorpusCase): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${gateway.url}/v1/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...recordedRequest(recorded), model: publicName(recorded) }),
  })
  return { status: answer.status, text: await answer.text() }
}

function sentFor({ upstream }: Replay, recorded: CorpusCase): RecordedRequest | undefined {
  return upstream.requests.find((request) => bodyOf(request)['model'] === upstreamName(recorded))
}

/** The content of an answer, whole or streamed. The reader knows nothing of the product. */
interface Said {
  readonly texts: readonly string[]
  readonly reasons: readonly unknown[]
  readonly usage: unknown
  readonly logprobs: readonly unknown[]
}

function dataOf(text: string): readonly Fields[] {
  if (!text.startsWith('data:')) return [fieldsOf(JSON.parse(text))]
  const lines = text.split('\n').filter((line) => line.startsWith('data:') && !line.includes('[DONE]'))
  return lines.map((line) => fieldsOf(JSON.parse(line.slice('data:'.length))))
}

function readSaid(text: string): Said {
  const texts: string[] = []
  const reasons: unknown[] = []
  const logprobs: unknown[] = []
  let usage: unknown
  for (const data of dataOf(text)) {
    usage = data['usage'] ?? usage
    for (const choice of listOf(data['choices']).map(fieldsOf)) {
      const index = Number(choice['index'])
      texts[index] = (texts[index] ?? '') + String(choice['text'])
      reasons[index] ??= choice['finish_reason'] ?? undefined
      logprobs[index] ??= choice['logprobs'] ?? undefined
    }
  }
  const { prompt_tokens: input, completion_tokens: output } = fieldsOf(usage)
  return { texts, reasons, logprobs, usage: usage === undefined ? undefined : { input, output } }
}

describe.skipIf(loaded === undefined)(
  'recorded completions on a channel with the completions endpoint',
  () => {
    let replay: Replay
    beforeAll(async () => {
      replay = await openReplay(answerOfCase, true)
    })
    afterAll(() => close(replay))

    it('are answered byte for byte, faults word for word or as gateway faults', async () => {
      const counts = new NamedCounts()
      await forEachAtOnce(cases, 4, async (recorded) => {
        const { status, text } = await ask(replay, recorded)
        const fault = expectedFault(recorded.response.status)
        const isOurs = recorded.response.status >= 400 && fault.type !== undefined
        expect(status, recorded.id).toBe(fault.status)
        if (isOurs) expect(JSON.parse(text), recorded.id).toMatchObject({ error: { type: fault.type?.chat } })
        else
          expect(text, recorded.id).toBe(
            Buffer.concat(
              (answerOfCase(recorded).chunks ?? []).map((chunk) => Buffer.from(String(chunk))),
            ).toString(),
          )
        counts.add(isOurs ? `${recorded.response.status} as ${status}` : `${status} equal`)
      })
      counts.print('verbatim completions')
    })

    it('are forwarded unchanged, except for the model’s name and the usage that the gateway requests', async () => {
      const counts = new NamedCounts()
      await forEachAtOnce(cases, 4, async (recorded) => {
        await ask(replay, recorded)
        const body = recordedRequest(recorded)
        const sent = sentFor(replay, recorded)
        expect(sent?.path, recorded.id).toBe('/v1/completions')
        const asks = fieldsOf(body['stream_options'])['include_usage'] === true
        const isAdded = body['stream'] === true && !asks
        const spliced = JSON.stringify({ ...body, model: upstreamName(recorded) })
        const expected = isAdded ? `{"stream_options":{"include_usage":true},${spliced.slice(1)}` : spliced
        expect(String(sent?.body), recorded.id).toBe(expected)
        counts.add(isAdded ? 'usage asked for' : 'equal')
      })
      counts.print('verbatim completions requests')
    })
  },
)

/** The recorded answer as a chat service would have said it. */
function asChat(recorded: CorpusCase): ScriptedAnswer {
  const { status, body, sse } = recorded.response
  if (status !== 200) return answerOfCase(recorded)
  if (sse === undefined) return jsonAnswer(chatOf(fieldsOf(body), 'message'))
  const chunks = dataOf(sse).map((data) => `data: ${JSON.stringify(chatOf(data, 'delta'))}\n\n`)
  return sseAnswer([...chunks, 'data: [DONE]\n\n'])
}

function chatOf(data: Fields, position: 'message' | 'delta'): Fields {
  const choices = listOf(data['choices']).map(fieldsOf)
  return {
    ...data,
    choices: choices.map(({ text, index, finish_reason, logprobs }) => ({
      index,
      [position]: { role: 'assistant', content: text },
      finish_reason,
      logprobs: chatLogprobs(fieldsOf(logprobs)),
    })),
  }
}

function chatLogprobs({ tokens, token_logprobs, top_logprobs }: Fields): Fields | null {
  if (tokens === undefined) return null
  const content = listOf(tokens).map((token, index) => ({
    token,
    logprob: listOf(token_logprobs)[index],
    top_logprobs: Object.entries(fieldsOf(listOf(top_logprobs)[index])).map(([word, logprob]) => ({
      token: word,
      logprob,
    })),
  }))
  return { content }
}

/** Fields that mean the same in a chat request, where they say anything. */
const shared = [
  'max_tokens',
  'temperature',
  'top_p',
  'n',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'user',
] as const

/** The chat request that asks what the recorded one asks. */
function expectedRequest(recorded: CorpusCase): Fields {
  const body = recordedRequest(recorded)
  const [prompt] = [body['prompt']].flat()
  const said = shared.flatMap((name) => ((body[name] ?? null) === null ? [] : [[name, body[name]]]))
  const { stop, logprobs, stream } = body
  return {
    model: upstreamName(recorded),
    messages: [{ role: 'user', content: prompt }],
    ...Object.fromEntries(said),
    ...((stop ?? null) === null ? {} : { stop: [stop].flat() }),
    ...(typeof logprobs === 'number' ? { logprobs: true, top_logprobs: logprobs } : {}),
    ...(stream === true ? { stream, stream_options: { include_usage: true } } : {}),
  }
}

/** A recorded text offset counts from the prompt's beginning, ours from the text's. */
function withoutOffsets({ logprobs, ...said }: Said): Fields {
  const lists = logprobs.map(fieldsOf).map(({ text_offset: _offset, ...others }) => others)
  return { ...said, logprobs: lists }
}

describe.skipIf(loaded === undefined)('recorded completions on a channel with only the chat format', () => {
  let replay: Replay
  beforeAll(async () => {
    replay = await openReplay(asChat, false)
  })
  afterAll(() => close(replay))

  it('send the same request to a chat service, and get the same answer', async () => {
    const counts = new NamedCounts()
    await forEachAtOnce(cases, 4, async (recorded) => {
      const { status, text } = await ask(replay, recorded)
      const body = recordedRequest(recorded)
      const ours = ownRefusal(body)
      if (ours !== undefined) {
        expect([status, fieldsOf(fieldsOf(JSON.parse(text))['error'])['param']], recorded.id).toEqual([
          400,
          ours,
        ])
        counts.add(`refused at ${ours}`)
        return
      }
      const sent = sentFor(replay, recorded)
      expect(sent && [sent.path, bodyOf(sent)], recorded.id).toEqual([
        '/v1/chat/completions',
        expectedRequest(recorded),
      ])
      expect(status, recorded.id).toBe(expectedFault(recorded.response.status).status)
      counts.add(status === 200 ? 'equal' : `${recorded.response.status} as ${status}`)
      if (status !== 200) return
      const { sse, body: whole } = recorded.response
      const expected = withoutOffsets(readSaid(sse ?? JSON.stringify(whole)))
      expect(withoutOffsets(readSaid(text)), recorded.id).toEqual(expected)
    })
    counts.print('completions over chat')
  })
})

/** The field at which we refuse a request that a conversation cannot ask. */
function ownRefusal({ prompt, max_tokens }: Fields): string | undefined {
  if (prompt === '' || typeof [prompt].flat(2)[0] === 'number') return 'prompt'
  return max_tokens === -1 ? 'max_tokens' : undefined
}
