import OpenAI from 'openai'
import { testKey } from '../start-gateway.ts'
import type { Agent, AgentTerms } from './agent.ts'
import { imageData, toolNames } from './plan-conversation.ts'

type Item = OpenAI.Responses.ResponseInputItem
type Answer = OpenAI.Responses.Response

const tools: OpenAI.Responses.FunctionTool[] = toolNames.map((name) => ({
  type: 'function',
  name,
  strict: false,
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}))
const image: OpenAI.Responses.ResponseInputImage = {
  type: 'input_image',
  detail: 'auto',
  image_url: `data:image/png;base64,${imageData}`,
}

export interface ResponsesMemory {
  /** Whether items go back with their ids, as the SDK's own examples do; Codex leaves ids and states out. */
  readonly keepsIds: boolean
}

/** The official client of the responses format: stores nothing, and returns every item. */
export function createResponsesAgent({
  url,
  chooseModel,
  chooseStream,
  keepsIds,
}: AgentTerms & ResponsesMemory): Agent {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: testKey, maxRetries: 0 })
  const input: Item[] = []
  return {
    hear({ text, hasImage }) {
      const words = { type: 'input_text' as const, text }
      input.push({ type: 'message', role: 'user', content: hasImage ? [words, image] : [words] })
    },
    async ask() {
      const body: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
        model: chooseModel(),
        input,
        tools,
        instructions: 'Work with care.',
        store: false,
        include: ['reasoning.encrypted_content'],
        reasoning: { effort: 'low', summary: 'auto' },
      }
      const { answer, losses } = chooseStream()
        ? await askStreamed(client, body)
        : await askWhole(client, body)
      for (const item of answer.output) input.push(...keep(item, keepsIds))
      return {
        text: answer.output_text,
        calls: answer.output
          .filter((item) => item.type === 'function_call')
          .map(({ call_id: id, name, arguments: text }) => ({ id, name, input: JSON.parse(text) })),
        losses,
      }
    },
    take(results) {
      for (const { callId, text, isError, hasImage } of results) {
        const words = isError ? `Error: ${text}` : text
        const output = hasImage ? [{ type: 'input_text' as const, text: words }, image] : words
        input.push({ type: 'function_call_output', call_id: callId, output })
      }
    },
  }
}

interface Asked {
  readonly answer: Answer
  readonly losses: string
}

type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming

async function askWhole(client: OpenAI, body: Body): Promise<Asked> {
  const { data, response } = await client.responses.create(body).withResponse()
  return { answer: data, losses: response.headers.get('x-headgate-loss') ?? '' }
}

async function askStreamed(client: OpenAI, body: Body): Promise<Asked> {
  const { data, response } = await client.responses.create({ ...body, stream: true }).withResponse()
  let answer: Answer | undefined
  for await (const event of data) if (event.type === 'response.completed') answer = event.response
  if (answer === undefined) throw new Error('the stream did not end in response.completed')
  return {
    answer: { ...answer, output_text: textOf(answer) },
    losses: response.headers.get('x-headgate-loss') ?? '',
  }
}

function textOf({ output }: Answer): string {
  return output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => (part.type === 'output_text' ? part.text : ''))
    .join('')
}

function keep(item: OpenAI.Responses.ResponseOutputItem, keepsIds: boolean): readonly Item[] {
  if (item.type !== 'message' && item.type !== 'function_call' && item.type !== 'reasoning') return []
  if (keepsIds) return [item]
  switch (item.type) {
    case 'message': {
      const content = item.content.flatMap((part) =>
        part.type === 'output_text' ? [{ type: part.type, text: part.text, annotations: [] }] : [],
      )
      return [withoutId({ ...item, content })]
    }
    case 'reasoning': {
      const { type, summary, encrypted_content } = item
      return [withoutId({ id: '', type, summary, encrypted_content: encrypted_content ?? null })]
    }
    case 'function_call':
      return [{ type: item.type, name: item.name, arguments: item.arguments, call_id: item.call_id }]
  }
}

/** The SDK's types demand an id; the service and Codex do not. */
function withoutId<Stored extends Item>(item: Stored): Stored {
  const stored = { ...item }
  for (const name of ['id', 'status']) Reflect.deleteProperty(stored, name)
  return stored
}
