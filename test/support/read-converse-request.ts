import type {
  AssistantBlock,
  CacheMark,
  MediaSource,
  ToolResultBlock,
  ToolResultContent,
  UserBlock,
} from '../../src/canonical/content.ts'
import type { ChatRequest, Reasoning, Tool, ToolChoice, Turn } from '../../src/canonical/request.ts'
import { isJsonObject, type JsonObject } from '../../src/kit/json/json.ts'
import { type Fields, fieldsOf, listOf, textOf } from './judged.ts'

/**
 * Reads a body of Converse into the canonical form, for law 1: no caller speaks the format, so that the product has no
 * reader of requests. Model and stream, which the path says, are left empty.
 */
export function readConverseRequest(body: JsonObject): ChatRequest {
  const config = fieldsOf(body['inferenceConfig'])
  const own = fieldsOf(body['additionalModelRequestFields'])
  const { tools, toolChoice } = readTools(fieldsOf(body['toolConfig']))
  const system = readMarked(listOf(body['system']), readSystemBlock)
  const reasoning = readReasoning(own)
  const schema = fieldsOf(
    fieldsOf(fieldsOf(fieldsOf(body['outputConfig'])['textFormat'])['structure'])['jsonSchema'],
  )
  const tier = fieldsOf(body['serviceTier'])['type']
  return {
    model: '',
    stream: false,
    turns: [
      ...(system.length === 0 ? [] : [{ role: 'system', authority: 'system', content: system } as const]),
      ...listOf(body['messages']).map(fieldsOf).flatMap(readMessage),
    ],
    ...(tools.length === 0 ? {} : { tools }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...numberField('maxOutputTokens', config['maxTokens']),
    ...numberField('temperature', config['temperature']),
    ...numberField('topP', config['topP']),
    ...numberField('topK', own['top_k']),
    ...(config['stopSequences'] === undefined
      ? {}
      : { stopSequences: listOf(config['stopSequences']).map(textOf) }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(schema['schema'] === undefined
      ? {}
      : {
          outputFormat: {
            type: 'json-schema',
            schema: JSON.parse(textOf(schema['schema'])),
            ...(schema['name'] === undefined ? {} : { name: textOf(schema['name']) }),
            ...(schema['description'] === undefined ? {} : { description: textOf(schema['description']) }),
          },
        }),
    ...(typeof tier === 'string' ? { serviceTier: tier } : {}),
  }
}

function readSystemBlock(block: Fields): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text: textOf(block['text']) }
}

function numberField<const Name extends string>(name: Name, value: unknown): { [Key in Name]?: number } {
  const field: { [Key in Name]?: number } = {}
  if (typeof value === 'number') field[name] = value
  return field
}

/** Blocks, each with the mark that stands after it. */
function readMarked<Block extends object>(
  list: readonly unknown[],
  read: (block: Fields) => Block,
): (Block & { readonly cache?: CacheMark })[] {
  const blocks: (Block & { readonly cache?: CacheMark })[] = []
  for (const value of list.map(fieldsOf)) {
    const last = blocks.at(-1)
    if (value['cachePoint'] === undefined || last === undefined) {
      blocks.push(read(value))
      continue
    }
    const { ttl } = fieldsOf(value['cachePoint'])
    const cache: CacheMark = ttl === '5m' || ttl === '1h' ? { lifetime: ttl } : {}
    blocks[blocks.length - 1] = { ...last, cache }
  }
  return blocks
}

function readMessage({ role, content }: Fields): readonly Turn[] {
  const list = listOf(content)
  if (role === 'assistant') return [{ role, content: readMarked(list, readAssistantBlock) }]
  const end = list.findIndex(
    (block) => !('toolResult' in fieldsOf(block)) && !('cachePoint' in fieldsOf(block)),
  )
  const results = list.slice(0, end === -1 ? list.length : end)
  const said = list.slice(results.length)
  return [
    ...(results.length === 0 ? [] : [{ role: 'tool', results: readMarked(results, readResult) } as const]),
    ...(said.length === 0 ? [] : [{ role: 'user', content: readMarked(said, readBlock) } as const]),
  ]
}

function readResult(block: Fields): ToolResultBlock {
  const { toolUseId, content, status } = fieldsOf(block['toolResult'])
  return {
    type: 'tool-result',
    callId: textOf(toolUseId),
    content: listOf(content).map(fieldsOf).map(readBlock).filter(isResultContent),
    isError: status === 'error',
  }
}

function isResultContent(block: UserBlock): block is ToolResultContent & UserBlock {
  return block.type !== 'audio' && block.type !== 'video'
}

const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  pdf: 'application/pdf',
  mp4: 'video/mp4',
}

function readSource({ format, source }: Fields): MediaSource {
  const mediaType = mediaTypes[textOf(format)] ?? textOf(format)
  return { type: 'base64', mediaType, data: textOf(fieldsOf(source)['bytes']) }
}

function readBlock(block: Fields): UserBlock {
  const { image, document, video, audio, searchResult } = block
  if (image !== undefined) return { type: 'image', source: readSource(fieldsOf(image)) }
  if (video !== undefined) return { type: 'video', source: readSource(fieldsOf(video)) }
  if (document !== undefined) return readDocument(fieldsOf(document))
  if (audio !== undefined) {
    const { format, source } = fieldsOf(audio)
    return { type: 'audio', data: textOf(fieldsOf(source)['bytes']), encoding: textOf(format) }
  }
  if (searchResult === undefined) return { type: 'text', text: textOf(block['text']) }
  const { source, title, content } = fieldsOf(searchResult)
  const texts = listOf(content).map((part) => ({
    type: 'text' as const,
    text: textOf(fieldsOf(part)['text']),
  }))
  return { type: 'search-result', source: textOf(source), title: textOf(title), content: texts }
}

function readDocument(document: Fields): UserBlock {
  const { format, source, name, context } = document
  const bytes = textOf(fieldsOf(source)['bytes'])
  return {
    type: 'document',
    source:
      format === 'txt'
        ? { type: 'text', text: Buffer.from(bytes, 'base64').toString('utf8') }
        : readSource(document),
    title: textOf(name),
    ...(context === undefined ? {} : { context: textOf(context) }),
  }
}

function readAssistantBlock(block: Fields): AssistantBlock {
  const { reasoningContent, toolUse } = block
  if (toolUse !== undefined) {
    const { toolUseId: id, name, input } = fieldsOf(toolUse)
    const call = { type: 'tool-call', id: textOf(id), name: textOf(name), kind: 'function' } as const
    return { ...call, input: JSON.stringify(input) }
  }
  if (reasoningContent === undefined) return { type: 'text', text: textOf(block['text']) }
  const { reasoningText, redactedContent } = fieldsOf(reasoningContent)
  if (typeof redactedContent === 'string') return { type: 'redacted-thinking', data: redactedContent }
  const { text, signature } = fieldsOf(reasoningText)
  return { type: 'thinking', text: textOf(text), signature: textOf(signature) }
}

function readTools({ tools, toolChoice }: Fields) {
  const read = readMarked(listOf(tools), (block): Tool & { readonly type: 'function' } => {
    const { name, description, inputSchema, strict } = fieldsOf(block['toolSpec'])
    const parameters = fieldsOf(inputSchema)['json']
    return {
      type: 'function',
      name: textOf(name),
      ...(description === undefined ? {} : { description: textOf(description) }),
      ...(isJsonObject(parameters) ? { parameters } : {}),
      ...(typeof strict === 'boolean' ? { strict } : {}),
    }
  })
  return { tools: read, toolChoice: toolChoice === undefined ? undefined : readChoice(fieldsOf(toolChoice)) }
}

function readChoice({ any, tool }: Fields): ToolChoice {
  if (tool !== undefined) return { type: 'tool', name: textOf(fieldsOf(tool)['name']), kind: 'function' }
  return any === undefined ? { type: 'auto' } : { type: 'required' }
}

const modes = {
  enabled: 'on',
  disabled: 'off',
  adaptive: 'adaptive',
  between_tools: 'between-tools',
} as const
const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const

function readReasoning({ thinking, output_config }: Fields): Reasoning | undefined {
  const { type, budget_tokens: budgetTokens, display } = fieldsOf(thinking)
  const mode = Object.entries(modes).find(([word]) => word === type)?.[1]
  const effort = efforts.find((word) => word === fieldsOf(output_config)['effort'])
  if (mode === undefined && effort === undefined) return undefined
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(effort === undefined ? {} : { effort }),
    ...(typeof budgetTokens === 'number' ? { budgetTokens } : {}),
    ...(display === 'summarized' || display === 'omitted' ? { display } : {}),
  }
}
