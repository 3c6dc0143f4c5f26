import OpenAI from 'openai'
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import { channelYaml } from '../support/channel-yaml.ts'
import { refusalOf } from '../support/open-gateway.ts'
import { openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { createToolRounds, finalWords, weatherOf } from '../support/tool-rounds.ts'

const twoKeys = `
keys:
  - { name: a, secret: sk-a-0123456789abcdef, models: ["*"] }
  - { name: b, secret: sk-b-0123456789abcdef, models: ["*"] }
`
const keyA = 'sk-a-0123456789abcdef'
const keyB = 'sk-b-0123456789abcdef'

const tools = [
  {
    type: 'function' as const,
    name: 'look_up',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    strict: false,
  },
]
const question: ResponseInputItem = { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] }

const formats = ['chat', 'messages', 'gemini', 'responses'] as const

async function open(format: (typeof formats)[number], more = twoKeys) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openScriptedUpstream(createToolRounds(format)))
  const folder = makeTemporaryFolder()
  const yaml = `${channelYaml({ name: 'c', format, origin: upstream.origin, models: ['m'] })}${more}`
  let gateway = await startGateway(yaml, folder)
  cleanup.defer(() => gateway[Symbol.asyncDispose]())
  const stored = cleanup.move()
  return {
    upstream,
    responses: (apiKey = keyA) =>
      new OpenAI({ baseURL: `${gateway.url}/v1`, maxRetries: 0, apiKey }).responses,
    async restart() {
      await gateway[Symbol.asyncDispose]()
      gateway = await startGateway(yaml, folder)
    },
    [Symbol.asyncDispose]: () => stored.disposeAsync(),
  }
}

/** Creates a response as clients do that read the stream's last event, or the whole answer. */
async function create(
  responses: OpenAI.Responses,
  body: Omit<OpenAI.Responses.ResponseCreateParams, 'stream'>,
  stream: boolean,
): Promise<Response> {
  if (!stream) return responses.create({ ...body, stream: false })
  let response: Response | undefined
  const ids = new Set<string>()
  for await (const event of await responses.create({ ...body, stream: true })) {
    if ('response' in event) ids.add(event.response.id)
    if (event.type === 'response.completed') response = event.response
  }
  if (response === undefined) throw new Error('the stream did not end')
  expect([...ids]).toEqual([response.id])
  return response
}

const callsOf = ({ output }: Response) => output.filter((item) => item.type === 'function_call')

const wordsOf = ({ output }: Response) =>
  output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => (part.type === 'output_text' ? part.text : ''))
    .join('')

/**
 * The input that the Vercel AI SDK sends for calls of an answer that it takes for stored: IDs in the place of items.
 */
function referTo(response: Response): ResponseInputItem[] {
  return callsOf(response).map(({ id = '' }) => ({ type: 'item_reference', id }))
}

function resultsOf(response: Response): ResponseInputItem[] {
  return callsOf(response).map(({ call_id, arguments: text }) => ({
    type: 'function_call_output',
    call_id,
    output: weatherOf(JSON.parse(text).city),
  }))
}

const cases = formats.flatMap((format) => [false, true].map((stream) => [format, stream] as const))

describe('two tools at once in two steps', () => {
  it.each(cases)(
    'continue by the ids of items, across a restart, on %s (streamed: %s)',
    async (format, stream) => {
      await using bench = await open(format)
      const body = { model: 'm', tools }
      const first = await create(bench.responses(), { ...body, input: [question] }, stream)
      expect(callsOf(first)).toHaveLength(2)
      const afterFirst = [question, ...referTo(first), ...resultsOf(first)]
      await bench.restart()
      const refused = await refusalOf(create(bench.responses(keyB), { ...body, input: afterFirst }, stream))
      expect(refused).toMatchObject({ status: 404, code: 'item_not_found', param: 'input[1]' })
      const second = await create(bench.responses(), { ...body, input: afterFirst }, stream)
      expect(callsOf(second)).toHaveLength(2)
      const afterSecond = [...afterFirst, ...referTo(second), ...resultsOf(second)]
      const last = await create(bench.responses(), { ...body, input: afterSecond }, stream)
      expect(wordsOf(last)).toBe(finalWords)
      expect(bench.upstream.requests).toHaveLength(3)
    },
  )

  it.each(cases)(
    'continue by "previous_response_id", across a restart, on %s (streamed: %s)',
    async (format, stream) => {
      await using bench = await open(format)
      const body = { model: 'm', tools }
      const first = await create(bench.responses(), { ...body, input: 'Weather?' }, stream)
      const next = { ...body, previous_response_id: first.id, input: resultsOf(first) }
      await bench.restart()
      const refused = await refusalOf(create(bench.responses(keyB), next, stream))
      expect(refused).toMatchObject({ status: 400, code: 'previous_response_not_found' })
      const second = await create(bench.responses(), next, stream)
      expect(second.previous_response_id).toBe(first.id)
      const last = await create(
        bench.responses(),
        { ...body, previous_response_id: second.id, input: resultsOf(second) },
        stream,
      )
      expect(wordsOf(last)).toBe(finalWords)
      expect(bench.upstream.requests).toHaveLength(3)
    },
  )
})

describe('a response on a channel of another format', () => {
  const others = cases.filter(([format]) => format !== 'responses')

  it.each(others)('has the metadata of its request, on %s (streamed: %s)', async (format, stream) => {
    await using bench = await open(format)
    const metadata = { ticket: '4711' }
    const created = await create(bench.responses(), { model: 'm', input: 'Hi', metadata }, stream)
    expect(created.metadata).toEqual(metadata)
    expect((await bench.responses().retrieve(created.id)).metadata).toEqual(metadata)
    const without = await create(bench.responses(), { model: 'm', input: 'Hi' }, stream)
    expect(without.metadata).toEqual({})
  })
})
