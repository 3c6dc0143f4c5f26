import type { ModelColumn, PlaygroundSettings } from './conversation.ts'
import { type JsonBody, writeChatBody } from './write-chat-body.ts'
import { writeMessagesBody } from './write-messages-body.ts'

export const snippetNames = ['curl', 'openai', 'anthropic', 'ai-sdk'] as const
export type SnippetName = (typeof snippetNames)[number]

/** The names of the clients, which are the same in every language. */
export const snippetTitles: Readonly<Record<SnippetName, string>> = {
  curl: 'curl',
  openai: 'OpenAI SDK',
  anthropic: 'Anthropic SDK',
  'ai-sdk': 'AI SDK',
}

export interface SnippetInput {
  /** The address of the gateway for callers, without a trailing slash. */
  readonly address: string
  readonly column: ModelColumn
  readonly settings: PlaygroundSettings
}

/** The request of a column as code. The key is read from the variable HEADGATE_KEY. */
export function writeSnippet(name: SnippetName, input: SnippetInput): string {
  const { address, column, settings } = input
  switch (name) {
    case 'curl':
      return writeCurl(address, writeChatBody(column, settings))
    case 'openai':
      return writeOpenai(address, writeChatBody(column, settings))
    case 'anthropic':
      return writeAnthropic(address, writeMessagesBody(column, settings))
    case 'ai-sdk':
      return writeAiSdk(address, writeChatBody(column, settings))
  }
}

function writeCurl(address: string, body: JsonBody): string {
  // The body goes through a here-document, as pictures exceed the length limit of shell arguments. No line of the
  // JSON equals the end marker.
  return `curl -N ${address}/v1/chat/completions \\
  -H "authorization: Bearer $HEADGATE_KEY" \\
  -H 'content-type: application/json' \\
  --data-binary @- <<'END'
${print(body)}
END`
}

function writeOpenai(address: string, body: JsonBody): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${address}/v1', apiKey: process.env.HEADGATE_KEY })
const stream = await client.chat.completions.create(${print(body)})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')`
}

function writeAnthropic(address: string, body: JsonBody): string {
  return `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ baseURL: '${address}', apiKey: process.env.HEADGATE_KEY })
const stream = await client.messages.create(${print(body)})
for await (const event of stream)
  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
    process.stdout.write(event.delta.text)`
}

/** The SDK's own prompt format cannot express all of the body, so the body is sent unchanged. */
function writeAiSdk(address: string, body: JsonBody): string {
  const imports = [
    ['createOpenAICompatible', '@ai-sdk/openai-compatible'],
    ['streamText', 'ai'],
  ].map(([name, library]) => `import { ${name} } from '${library}'`)
  return `${imports.join('\n')}

const request = ${print(body)}
const headgate = createOpenAICompatible({
  name: 'headgate',
  baseURL: '${address}/v1',
  apiKey: process.env.HEADGATE_KEY,
  fetch: (url, init) => fetch(url, { ...init, body: JSON.stringify(request) }),
})
const { textStream } = streamText({ model: headgate(request.model), prompt: '-' })
for await (const text of textStream) process.stdout.write(text)`
}

function print(body: JsonBody): string {
  return JSON.stringify(body, null, 2)
}
