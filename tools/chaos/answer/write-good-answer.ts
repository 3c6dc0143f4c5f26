import { noUsage } from '../../../src/canonical/usage.ts'
import { unreachable } from '../../../src/kit/errors/unreachable.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../src/kit/json/json.ts'
import { writeReply as writeEmbeddings } from '../../../src/wire/embeddings/reply/write-reply.ts'
import { countTokensFormat } from '../../../src/wire/messages/count-tokens/count-tokens-format.ts'
import { writeModelList } from '../../../src/wire/model-list/write-model-list.ts'
import type { FaultCall } from '../script/fault-call.ts'
import type { AnswerScript } from '../script/script-schema.ts'
import type { AnswerPart, FaultAnswer } from './fault-answer.ts'
import { writeConversation } from './write-conversation.ts'
import { writeErrorBody } from './write-error-body.ts'

export interface GoodAnswerPlan {
  readonly call: FaultCall
  readonly script: AnswerScript
  readonly id: string
  readonly createdAtSeconds: number
  readonly isWide: boolean
}

const DIMENSIONS = 8

/** The answer of a healthy provider. */
export function writeGoodAnswer(plan: GoodAnswerPlan): FaultAnswer {
  const { call, script } = plan
  switch (call.format) {
    case 'chat':
    case 'messages':
    case 'completions': {
      const type = call.isStream ? 'text/event-stream; charset=utf-8' : 'application/json'
      const parts = writeConversation({ ...plan, format: call.format })
      return { status: 200, headers: headersOf(plan, type), parts, isStream: call.isStream }
    }
    case 'embeddings':
      return jsonAnswer(plan, embed(call))
    case 'count-tokens': {
      const count = Math.ceil(JSON.stringify(call.body['messages'] ?? '').length / 4)
      return jsonAnswer(plan, countTokensFormat.writeCount(Math.max(1, count)))
    }
    case 'models':
      return jsonAnswer(plan, listModels(call, script))
    case 'other': {
      const { text } = writeErrorBody({ error: 'model-missing' }, 'chat')
      return { ...jsonAnswer(plan, {}), status: 404, parts: [wholePart(text)] }
    }
    default:
      return unreachable(call.format)
  }
}

function jsonAnswer(plan: GoodAnswerPlan, body: JsonObject): FaultAnswer {
  const parts = [wholePart(JSON.stringify(body))]
  return { status: 200, headers: headersOf(plan, 'application/json'), parts, isStream: false }
}

export function wholePart(text: string): AnswerPart {
  return { bytes: Buffer.from(text), kind: 'content', words: 0 }
}

function headersOf({ call, id }: GoodAnswerPlan, type: string): FaultAnswer['headers'] {
  const idHeader =
    call.format === 'messages' || call.format === 'count-tokens' ? 'request-id' : 'x-request-id'
  return [
    ['content-type', type],
    [idHeader, id],
  ]
}

/** Vectors that depend only on the index of the input. */
function embed({ body, model }: FaultCall): JsonObject {
  const inputs = inputsOf(body['input'])
  const vectors = inputs.map((_, index) => ({
    encoding: 'float' as const,
    values: Array.from({ length: DIMENSIONS }, (_each, dimension) =>
      dimension === index % DIMENSIONS ? 1 : 0,
    ),
  }))
  const tokens = Math.max(1, Math.ceil(JSON.stringify(inputs).length / 4))
  const encoding = body['encoding_format'] === 'base64' ? 'base64' : 'float'
  const usage = { ...noUsage, freshInputTokens: tokens }
  return writeEmbeddings({ model: model ?? '', vectors, usage }, encoding)
}

function inputsOf(input: JsonValue | undefined): readonly JsonValue[] {
  if (!isJsonArray(input)) return [input ?? '']
  return input.every((each) => typeof each === 'number') ? [input] : input
}

function listModels(call: FaultCall, script: AnswerScript): JsonObject {
  const style = call.headers.has('anthropic-version') ? 'messages' : 'chat'
  const models = script.models.map((name) => ({
    name,
    ownedBy: 'faults',
    createdAtSeconds: 1_700_000_000,
    endpointTypes: ['openai', 'anthropic'] as const,
  }))
  const limit = new URLSearchParams({ limit: '1000' })
  return writeModelList(models, style, limit)
}
