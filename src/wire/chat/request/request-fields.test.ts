import type * as Chat from 'openai/resources/chat/completions/completions'
import type { CompletionUsage } from 'openai/resources/completions'
import type * as Shared from 'openai/resources/shared'
import { describe, expect, it } from 'vitest'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { defaultDialect } from '../../dialect.ts'
import * as usage from '../../openai/values/usage-fields.ts'
import { readReply } from '../reply/read-reply.ts'
import * as replies from '../reply/reply-fields.ts'
import { writeReply } from '../reply/write-reply.ts'
import { readRequest } from './read-request.ts'
import * as fields from './request-fields.ts'
import { writeRequest } from './write-request.ts'

type NamesOf<Union> = Union extends unknown ? keyof Union & string : never
type Part = Chat.ChatCompletionContentPart
type Delta = Chat.ChatCompletionChunk.Choice.Delta
type DeltaCall = Chat.ChatCompletionChunk.Choice.Delta.ToolCall
type ToolChoice = Exclude<Chat.ChatCompletionToolChoiceOption, string>

/** Fails to compile where the table lacks a name of the SDK's type, or has one that the type lacks. */
function holds<Union>() {
  return <const Table extends Readonly<Record<NamesOf<Union>, string>>>(
    table: Table & { readonly [Name in Exclude<keyof Table, NamesOf<Union>>]: never },
  ): number => Object.keys(table).length
}

/** Fails to compile where the SDK's union has a kind that is not listed, or lacks one that is. */
function kinds<Kind extends string>() {
  return <const List extends readonly Kind[]>(list: [Kind] extends [List[number]] ? List : never) => list
}

const heldInRequests = [
  holds<Chat.ChatCompletionCreateParams>()(fields.requestFields),
  holds<Chat.ChatCompletionStreamOptions>()(fields.streamOptionsFields),
  holds<Chat.ChatCompletionSystemMessageParam>()(fields.systemMessageFields),
  holds<Chat.ChatCompletionDeveloperMessageParam>()(fields.systemMessageFields),
  holds<Chat.ChatCompletionUserMessageParam>()(fields.userMessageFields),
  holds<Chat.ChatCompletionAssistantMessageParam>()(fields.assistantMessageFields),
  holds<Chat.ChatCompletionAssistantMessageParam.Audio>()(fields.assistantAudioFields),
  holds<Chat.ChatCompletionAssistantMessageParam.FunctionCall>()(fields.functionCallFields),
  holds<Chat.ChatCompletionToolMessageParam>()(fields.toolMessageFields),
  holds<Chat.ChatCompletionFunctionMessageParam>()(fields.functionMessageFields),
  holds<Chat.ChatCompletionMessageFunctionToolCall>()(fields.functionToolCallFields),
  holds<Chat.ChatCompletionMessageFunctionToolCall.Function>()(fields.functionCallFields),
  holds<Chat.ChatCompletionMessageCustomToolCall>()(fields.customToolCallFields),
  holds<Chat.ChatCompletionMessageCustomToolCall.Custom>()(fields.customCallFields),
  holds<Chat.ChatCompletionContentPartText>()(fields.textPartFields),
  holds<Chat.ChatCompletionContentPartImage>()(fields.imagePartFields),
  holds<Chat.ChatCompletionContentPartImage.ImageURL>()(fields.imageUrlFields),
  holds<Chat.ChatCompletionContentPartInputAudio>()(fields.audioPartFields),
  holds<Chat.ChatCompletionContentPartInputAudio.InputAudio>()(fields.inputAudioFields),
  holds<Chat.ChatCompletionContentPart.File>()(fields.filePartFields),
  holds<Chat.ChatCompletionContentPart.File.File>()(fields.fileFields),
  holds<Chat.ChatCompletionContentPartRefusal>()(fields.refusalPartFields),
  holds<Chat.ChatCompletionFunctionTool>()(fields.functionToolFields),
  holds<Shared.FunctionDefinition>()(fields.functionDefinitionFields),
  holds<Chat.ChatCompletionCustomTool>()(fields.customToolFields),
  holds<Chat.ChatCompletionCustomTool.Custom>()(fields.customDefinitionFields),
  holds<Chat.ChatCompletionCreateParams.Function>()(fields.legacyFunctionFields),
  holds<Chat.ChatCompletionNamedToolChoice>()(fields.namedToolChoiceFields),
  holds<Chat.ChatCompletionNamedToolChoice.Function>()(fields.toolNameFields),
  holds<Chat.ChatCompletionNamedToolChoiceCustom>()(fields.customToolChoiceFields),
  holds<Chat.ChatCompletionNamedToolChoiceCustom.Custom>()(fields.toolNameFields),
  holds<Chat.ChatCompletionFunctionCallOption>()(fields.toolNameFields),
  holds<Chat.ChatCompletionAllowedToolChoice>()(fields.allowedToolChoiceFields),
  holds<Chat.ChatCompletionAllowedTools>()(fields.allowedToolsFields),
  holds<Shared.ResponseFormatText | Shared.ResponseFormatJSONObject>()(fields.plainFormatFields),
  holds<Shared.ResponseFormatJSONSchema>()(fields.schemaFormatFields),
  holds<Shared.ResponseFormatJSONSchema.JSONSchema>()(fields.jsonSchemaFields),
]

const heldInReplies = [
  holds<Chat.ChatCompletion>()(replies.replyFields),
  holds<Chat.ChatCompletion.Choice>()(replies.choiceFields),
  holds<Chat.ChatCompletion.Choice.Logprobs>()(replies.logprobsFields),
  holds<Chat.ChatCompletionMessage>()(replies.messageFields),
  holds<Chat.ChatCompletionMessage.Annotation>()(replies.annotationFields),
  holds<Chat.ChatCompletionMessage.Annotation.URLCitation>()(replies.urlCitationFields),
  holds<Chat.ChatCompletionAudio>()(replies.audioFields),
  holds<Chat.ChatCompletionChunk>()(replies.chunkFields),
  holds<Chat.ChatCompletionChunk.Choice>()(replies.chunkChoiceFields),
  holds<Chat.ChatCompletionChunk.Choice.Logprobs>()(replies.logprobsFields),
  holds<Delta>()(replies.deltaFields),
  holds<Delta['audio'] & object>()(replies.audioFields),
  holds<Delta['function_call'] & object>()(replies.deltaFunctionFields),
  holds<DeltaCall>()(replies.deltaToolCallFields),
  holds<DeltaCall['function'] & object>()(replies.deltaFunctionFields),
  holds<DeltaCall['custom'] & object>()(replies.deltaCustomFields),
  holds<CompletionUsage>()(usage.usageFields),
  holds<CompletionUsage.PromptTokensDetails>()(usage.promptDetailsFields),
  holds<CompletionUsage.CompletionTokensDetails>()(usage.completionDetailsFields),
]

const heldKinds = [
  kinds<Chat.ChatCompletionMessageParam['role']>()([
    'system',
    'developer',
    'user',
    'assistant',
    'tool',
    'function',
  ]),
  kinds<Part['type']>()(['text', 'image_url', 'input_audio', 'file']),
  kinds<Chat.ChatCompletionTool['type']>()(['function', 'custom']),
  kinds<Chat.ChatCompletionMessageToolCall['type']>()(['function', 'custom']),
  kinds<ToolChoice['type']>()(['function', 'custom', 'allowed_tools']),
  kinds<Extract<Chat.ChatCompletionToolChoiceOption, string>>()(['none', 'auto', 'required']),
  kinds<Exclude<Chat.ChatCompletionReasoningEffort, null>>()([
    'none',
    'minimal',
    'low',
    'medium',
    'high',
    'xhigh',
    'max',
  ]),
  kinds<Chat.ChatCompletion.Choice['finish_reason']>()([
    'stop',
    'length',
    'tool_calls',
    'content_filter',
    'function_call',
  ]),
]

const dialect = {
  ...defaultDialect,
  allowedTools: true,
  customTools: true,
  maxTokensField: 'max_completion_tokens',
  cacheMarks: true,
  reasoning: 'effort',
} as const

/** A sample for each field of a request's top level. The compiler demands that none is forgotten. */
const samples = {
  messages: [{ role: 'user', content: 'Hi' }],
  model: 'm',
  audio: { format: 'mp3', voice: 'ash' },
  frequency_penalty: 0.5,
  function_call: 'auto',
  functions: [{ name: 'f', description: 'd', parameters: { type: 'object', properties: {} } }],
  logit_bias: { '1': 2 },
  logprobs: true,
  max_completion_tokens: 5,
  max_tokens: 5,
  metadata: { a: 'b' },
  modalities: ['text', 'audio'],
  moderation: { model: 'omni-moderation-latest' },
  n: 2,
  parallel_tool_calls: false,
  prediction: { type: 'content', content: 'x' },
  presence_penalty: -1,
  prompt_cache_key: 'k',
  prompt_cache_options: { mode: 'explicit', ttl: '30m' },
  prompt_cache_retention: '24h',
  reasoning_effort: 'xhigh',
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {}, strict: true } },
  safety_identifier: 's',
  seed: 7,
  service_tier: 'flex',
  stop: ['a'],
  store: true,
  stream: true,
  stream_options: { include_usage: true, include_obfuscation: false },
  temperature: 0.1,
  tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function' }] } },
  tools: [{ type: 'custom', custom: { name: 'c', format: { type: 'text' } } }],
  top_logprobs: 3,
  top_p: 0.9,
  user: 'u',
  verbosity: 'low',
  web_search_options: { search_context_size: 'low' },
} as const satisfies Record<NamesOf<Chat.ChatCompletionCreateParams>, JsonValue>

/** The fields that come back under the newer name of the same thing. */
const newerForms: Readonly<Record<string, readonly [string, JsonValue]>> = {
  function_call: ['tool_choice', 'auto'],
  functions: [
    'tools',
    [
      {
        type: 'function',
        function: { name: 'f', description: 'd', parameters: { type: 'object', properties: {} } },
      },
    ],
  ],
  max_tokens: ['max_completion_tokens', 5],
}

function bodyWith(name: string, value: JsonValue): JsonObject {
  const base: JsonObject = { model: 'm', messages: samples.messages }
  const needsTools = ['function_call', 'tool_choice', 'parallel_tool_calls'].includes(name)
  const needsStream = name === 'stream_options'
  return {
    ...base,
    ...(needsTools ? { tools: samples.tools } : {}),
    ...(needsStream ? { stream: true } : {}),
    ...(name === 'top_logprobs' ? { logprobs: true } : {}),
    [name]: value,
  }
}

describe('the fields of the chat format', () => {
  it('are those of the official types, in both directions', () => {
    expect([...heldInRequests, ...heldInReplies].every((count) => count > 0)).toBe(true)
    expect(heldKinds.every((list) => new Set(list).size === list.length)).toBe(true)
  })

  it.each(Object.entries(samples))('carry %s from a body to a body', (name, value) => {
    const { value: written, losses } = writeRequest(readRequest(bodyWith(name, value)), {
      model: 'm',
      dialect,
    })
    const [newName, newValue] = newerForms[name] ?? [name, value]
    expect(losses).toEqual([])
    expect(written[newName]).toEqual(newValue)
  })

  it('carry undocumented fields, at every level', () => {
    const body = {
      model: 'm',
      x_top: null,
      messages: [
        { role: 'system', content: 's', x_turn: 1 },
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'https://a.b', x: 1 }, x_part: 2 }],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c', type: 'function', function: { name: 'f', arguments: '{}', x: 1 }, x_call: 2 },
          ],
        },
        { role: 'tool', tool_call_id: 'c', content: 'r', name: 'f' },
      ],
      tools: [{ type: 'function', function: { name: 'f', x: 1 }, x_tool: 2 }],
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {}, x: 1 }, x_format: 2 },
    }
    const { value, losses } = writeRequest(readRequest(body), { model: 'm', dialect })
    expect(losses).toEqual([])
    expect(value).toEqual(body)
  })

  it('carry undocumented fields of answers, at every level', () => {
    const body = {
      id: 'i',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      provider: 'P',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            refusal: null,
            provider_metadata: { a: 1 },
            tool_calls: [
              {
                id: 'c',
                type: 'function',
                function: { name: 'f', arguments: '{}' },
                extra_content: { s: 'x' },
              },
            ],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
          native_finish_reason: 'STOP',
        },
      ],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 2,
        total_tokens: 5,
        cost: 0.1,
        prompt_tokens_details: { v: 9 },
      },
    }
    const reply = readReply(body)
    if ('code' in reply) throw new Error(reply.code)
    const { value, losses } = writeReply(reply)
    expect(losses).toEqual([])
    expect(value).toMatchObject(body)
    expect(isJsonObject(value['usage']) && value['usage']['total_tokens']).toBe(5)
  })
})
