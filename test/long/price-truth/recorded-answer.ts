import type { CorpusCase } from '../../support/corpus.ts'
import { fieldsOf, listOf } from './read-bill.ts'

/** Ids of the provider registry for the corpus's names of those that send bills by a public list. */
const providers: Readonly<Record<string, string>> = {
  alibaba: 'qwen',
  anthropic: 'anthropic',
  azure: 'azure-openai',
  bedrock: 'bedrock',
  cerebras: 'cerebras',
  cohere: 'cohere',
  deepseek: 'deepseek',
  google: 'gemini',
  groq: 'groq',
  mistral: 'mistral',
  moonshotai: 'moonshot',
  openai: 'openai',
  perplexity: 'perplexity',
  together: 'together',
  vertex: 'vertex',
  xai: 'xai',
  zai: 'zai',
}

export interface RecordedCall {
  readonly provider: string
  readonly model: string
  /** The region in which Google Cloud computed it. */
  readonly location: string | undefined
}

/** The channel that would have been asked, and the model: what the request says, else what the answer does. */
export function findCall(recorded: CorpusCase, payloads: readonly unknown[]): RecordedCall | undefined {
  const provider = providers[recorded.provider]
  const path = decodeURIComponent(recorded.request?.path ?? '')
  const ofPath =
    /\/(?:models?|deployments)\/(.+?)(?::(?:\w+)|\/(?:converse|invoke|chat|embeddings)[\w-]*)?(?:\?.*)?$/.exec(
      path,
    )?.[1]
  const isCloud =
    recorded.api.startsWith('bedrock') || recorded.api.startsWith('gemini') || recorded.provider === 'vertex'
  const asked = fieldsOf(recorded.request?.body)['model']
  const answered = payloads.map(modelIn).find((name) => name !== undefined)
  // A deployment of Azure is called as its owner likes.
  const named =
    recorded.provider === 'azure' ? [answered, asked, ofPath] : [isCloud ? ofPath : asked, asked, answered]
  const model = named.find((name): name is string => typeof name === 'string' && name !== '')
  if (provider === undefined || model === undefined) return undefined
  return { provider, model, location: /\/locations\/([^/]+)\//.exec(path)?.[1] }
}

function modelIn(payload: unknown): string | undefined {
  const { model, modelVersion, message, response } = fieldsOf(payload)
  const names = [model, modelVersion, fieldsOf(message)['model'], fieldsOf(response)['model']]
  return names.find((name): name is string => typeof name === 'string' && name !== '')
}

/** The events of a recorded answer, or its body, parsed here; undefined for what is neither. */
export function payloadsOf({ response }: CorpusCase): readonly unknown[] | undefined {
  if (response.sse !== undefined) return ssePayloads(response.sse)
  if (response.eventstream_base64 !== undefined)
    return awsPayloads(Buffer.from(response.eventstream_base64, 'base64'))
  if (response.body === undefined) return undefined
  return Array.isArray(response.body) ? listOf(response.body) : [response.body]
}

function ssePayloads(text: string): readonly unknown[] {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n\n+/)
    .map((event) =>
      event
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    )
    .flatMap(parsed)
}

function parsed(text: string): readonly unknown[] {
  try {
    return text === '' ? [] : [JSON.parse(text)]
  } catch {
    return []
  }
}

/**
 * The payloads of `application/vnd.amazon.eventstream`: a message has both lengths, a checksum, headers, the payload.
 */
function awsPayloads(bytes: Buffer): readonly unknown[] {
  const payloads: unknown[] = []
  for (let at = 0; at + 16 <= bytes.length; at += bytes.readUInt32BE(at)) {
    const [length, headers] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
    const text = bytes.subarray(at + 12 + headers, at + length - 4).toString('utf8')
    for (const payload of parsed(text)) {
      const inner = fieldsOf(payload)['bytes']
      payloads.push(
        ...(typeof inner === 'string' ? parsed(Buffer.from(inner, 'base64').toString('utf8')) : [payload]),
      )
    }
  }
  return payloads
}
